import { listAllThreads } from '#host/queries/stored-threads.ts'
import { checkDataFolder } from '#host/storage/data-folder.ts'
import { escapeControls } from '#shared/base/control-characters.ts'
import { dataFolderFor } from '../app-paths.ts'
import type { CommandLine } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'

/** `coppice threads`: only reads stored journals, so it works while a window has a project open. */
export function threads(line: CommandLine): number {
  const dataFolder = dataFolderFor(line.text('data-dir'), process.env)
  checkDataFolder(dataFolder)
  const found = listAllThreads(dataFolder)
  if (line.flag('json')) process.stdout.write(`${JSON.stringify(found)}\n`)
  else if (found.length === 0) process.stdout.write('No threads yet. Start one with: coppice run FOLDER --task "…"\n')
  else for (const thread of found) process.stdout.write(`${rowOf(thread)}\n`)
  return exitCodes.done
}

function rowOf(thread: ReturnType<typeof listAllThreads>[number]): string {
  const when = new Date(thread.updatedAt).toISOString().slice(0, 16).replace('T', ' ')
  const named = [thread.title, thread.project].map((name) => escapeControls(name.replaceAll('\n', '⏎')))
  return [thread.threadId, thread.status.padEnd(9), when, ...named].join('  ')
}
