// The release build puts wasm-bindgen's script into this function. As it comes it is one instance of the WASM for good; a
// panic leaves an instance in pieces, and then a page needs another. `trapped` hears of the panic.
export function instance(trapped) {
  // (wasm-bindgen's script)

  // With this standard library a panic is a bare trap, and most calls come from the browser: a press, a timer. So every way in is
  // guarded. What leaves by an exception has skipped the frames of Rust, so nothing enters again; and nobody above,
  // who is the host's page, gets to see it.
  function guarded(exports) {
    let depth = 0;
    let over = false;
    const guard =
      (enter) =>
      (...values) => {
        if (over) return;
        depth++;
        try {
          return enter(...values);
        } catch (error) {
          if (!over) trapped(error);
          over = true;
          if (depth > 1) throw error; // the instance is below as well, and must not go on
        } finally {
          depth--;
        }
      };
    const entries = Object.entries(exports);
    return Object.fromEntries(
      entries.map(([name, value]) => [name, typeof value === "function" ? guard(value) : value]),
    );
  }

  async function start({ module_or_path: response }) {
    if (!response.ok) throw Error(`${response.status} for ${response.url}`);
    const imports = __wbg_get_imports();
    // Only a WASM that is called one can be compiled as it arrives.
    const { instance } = await (response.headers.get("Content-Type") === "application/wasm"
      ? WebAssembly.instantiateStreaming(response, imports)
      : WebAssembly.instantiate(await response.arrayBuffer(), imports));
    __wbg_finalize_init({ exports: guarded(instance.exports) });
  }

  return { default: start /* and its functions */ };
}
