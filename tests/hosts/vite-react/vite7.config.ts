// For a development server of Vite before 8, which does not find the WebAssembly by itself.
export default {
  optimizeDeps: { exclude: ["enroll-once"] },
  cacheDir: "node_modules/.vite7", // the other Vite has its own
};
