import type { Electron } from '../electron.ts'

/** Tells the host that the machine woke up. Answers of models that were lost meanwhile are asked for again. */
export function followPower({ powerMonitor }: Pick<Electron, 'powerMonitor'>, wake: () => void): void {
  powerMonitor.on('resume', wake)
}

/** Keeps the computer awake until it is disposed. The screen may go dark. */
export function keepAwake({ powerSaveBlocker }: Pick<Electron, 'powerSaveBlocker'>): Disposable {
  const id = powerSaveBlocker.start('prevent-app-suspension')
  return { [Symbol.dispose]: () => void powerSaveBlocker.stop(id) }
}
