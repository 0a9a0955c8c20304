/** Measures each contender in turn, round after round: other load of the machine then affects all of them. */
export async function alternate<Name extends string, T>(
  contenders: Readonly<Record<Name, () => Promise<T>>>,
  rounds: number,
  onTurn: (name: Name, round: number) => void = () => undefined,
): Promise<Record<Name, T[]>> {
  const names = Object.keys(contenders) as Name[];
  const measured = Object.fromEntries(names.map((name) => [name, [] as T[]])) as Record<Name, T[]>;
  for (let round = 1; round <= rounds; round += 1) {
    for (const name of names) {
      onTurn(name, round);
      measured[name].push(await contenders[name]());
    }
  }
  return measured;
}
