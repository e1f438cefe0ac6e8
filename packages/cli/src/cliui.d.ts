// cliui has no types of its own. These are the parts that the screen uses.
declare module 'cliui' {
  interface Cell {
    readonly text: string;
    readonly width: number;
    readonly align?: 'right';
    /** Top, right, bottom, left. */
    readonly padding: readonly [number, number, number, number];
  }

  interface Ui {
    div(...cells: readonly Cell[]): void;
    toString(): string;
  }

  // biome-ignore lint/style/noDefaultExport: cliui exports it so
  export default function cliui(options: { readonly width: number; readonly wrap: boolean }): Ui;
}
