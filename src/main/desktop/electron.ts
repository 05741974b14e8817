/** The `electron` module as a value, so that the wiring is tested against a recorded surface of it. */
export type Electron = typeof import('electron')
