/** With this argument the server loads its code, which Node then caches, and ends. */
export const compileOnly = '--compile-only';
