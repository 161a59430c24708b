// The model for scripts that draw their own picture. It loads the lab when it is first asked.

import { lab } from "./index.js";

export const parse = async (story) => (await lab()).parse(story);
export const run = async (story) => (await lab()).run(story);
export const matrix = async () => (await lab()).matrix();
