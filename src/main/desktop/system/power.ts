import type { Electron } from '../electron.ts'

/** Tells the host that the machine woke up. Answers of models that were lost meanwhile are asked for again. */
export function followPower({ powerMonitor }: Pick<Electron, 'powerMonitor'>, wake: () => void): void {
  powerMonitor.on('resume', wake)
}
