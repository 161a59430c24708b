import react from "@vitejs/plugin-react";
import { defineConfig } from "vite";

export default defineConfig({
  base: "./",
  plugins: [react()],
  optimizeDeps: { exclude: ["enroll-once"] }, // so that the development server finds the WebAssembly
});
