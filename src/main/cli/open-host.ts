import { join } from 'node:path'
import { createHost, type Host } from '#host/create-host.ts'
import { createFileSecrets } from '#host/file-secrets.ts'
import { appPaths, appVersion, dataFolderFor } from './app-paths.ts'
import { type CommandLine, numberOf } from './arguments.ts'

export type ShellKind = 'cli' | 'web'

/** The host as a terminal starts it. Keys come from the environment, or from a file a person agreed to. */
export function openHost(line: CommandLine, shell: ShellKind, initialFolder: string | null = null): Promise<Host> {
  const dataFolder = dataFolderFor(line.text('data-dir'), process.env)
  const maxIterations = numberOfIterations(line)
  return createHost({
    shell,
    version: appVersion(),
    dataFolder,
    settingsFile: line.text('settings') ?? null,
    environment: process.env,
    nodePath: process.execPath,
    runnerChildPath: appPaths.runnerChild,
    textWorkerPath: appPaths.textWorker,
    demoFolder: appPaths.demo,
    initialFolder,
    secrets: createFileSecrets(join(dataFolder, 'key')),
    holder: `coppice ${line.command} (process ${process.pid})`,
    overrides: maxIterations === undefined ? {} : { maxIterations },
    log: (problem, error) =>
      process.stderr.write(`${problem}: ${error instanceof Error ? error.stack : String(error)}\n`),
  })
}

function numberOfIterations(line: CommandLine): number | undefined {
  return numberOf(line, 'max-iterations', { min: 1, max: 10_000 })
}
