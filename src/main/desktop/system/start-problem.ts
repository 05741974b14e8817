import type { MessageBoxOptions } from 'electron'
import type { Electron } from '../electron.ts'

interface Places {
  readonly dataFolder: string
  readonly logFile: string
}

/** Says in words why the app cannot go on, and where the log is. Resolves when the person has read it. */
export async function sayProblem(
  { dialog, shell }: Pick<Electron, 'dialog' | 'shell'>,
  message: string,
  error: unknown,
  { dataFolder, logFile }: Places,
): Promise<void> {
  const { response } = await dialog.showMessageBox(problemBox(message, error, logFile))
  if (response === 0) await shell.openPath(dataFolder)
}

/** Says that an update failed after everything was stored. Resolves when the person has read it. */
export async function sayFailedUpdate({ dialog }: Pick<Electron, 'dialog'>, error: unknown): Promise<void> {
  const reason = error instanceof Error ? error.message : String(error)
  await dialog.showMessageBox({
    type: 'error',
    message: 'The new version was not installed',
    detail: `${reason.slice(0, 1000)}\n\nEverything is stored. Coppice starts again with the version that you have.`,
    buttons: ['Start again'],
  })
}

export function problemBox(message: string, error: unknown, logFile: string): MessageBoxOptions {
  const reason = error instanceof Error ? error.message : String(error)
  return {
    type: 'error',
    message,
    detail: `${reason.slice(0, 1000)}\n\nYour threads and changes are stored. The log says more: ${logFile}`,
    buttons: ['Open data folder', 'Quit'],
    defaultId: 1,
    cancelId: 1,
    noLink: true,
  }
}

/** Ends the app with words when a bug reaches the top. What was stored stays; the next start goes on from there. */
export function followBugs(
  electron: Pick<Electron, 'app' | 'dialog' | 'shell'>,
  places: Places,
  log: (problem: string, error: unknown) => void,
  process: NodeJS.EventEmitter,
): void {
  let isSaid = false
  process.on('uncaughtException', (error: unknown) => {
    log('Coppice met an error that nobody caught', error)
    if (isSaid) return
    isSaid = true
    const end = () => electron.app.exit(1)
    sayProblem(electron, 'Coppice has to stop', error, places).then(end, end)
  })
  process.on('unhandledRejection', (error: unknown) => log('Something failed unnoticed', error))
}
