/** The `electron` module as a value, so that tests can replace it by a recorder. */
export type Electron = typeof import('electron')
