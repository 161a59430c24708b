// For React: the tags, and with the types of react.d.ts their names in JSX.
import "./define.js";
