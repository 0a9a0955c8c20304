// For the console: enough to compare what two sources assert, and too little to write or call. Never for logs.

/** The first letter and the domain: `r***@example.com`. Empty for an empty text. */
export function maskEmail(email: string): string {
  const at = email.lastIndexOf("@");
  const [first = ""] = email;
  if (at < 0) return first && `${first}***`;
  return `${first}***${email.slice(at)}`;
}

/** The last two digits: `*** 05`. Empty for an empty text. */
export const maskPhone = (phone: string): string => phone && `*** ${phone.slice(-2)}`;
