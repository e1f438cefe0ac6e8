/** The browser's storage. Where it is denied, a storage that fails at each use: the page says so, and takes no card. */
export function storage(): Storage {
  try {
    return localStorage;
  } catch (error) {
    const fail = () => {
      throw error;
    };
    return { length: 1, key: fail, getItem: fail, setItem: fail, removeItem: fail, clear: fail };
  }
}
