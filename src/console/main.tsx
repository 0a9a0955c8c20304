import "./styles/base.css";
import "./styles/components.css";
import "./styles/pages.css";
import { render } from "preact";
import { App } from "./app.tsx";

const root = document.getElementById("console");
if (root) render(<App />, root);
