import { findThread } from '#host/queries/stored-threads.ts'
import { journalLines, transcriptOf } from '#host/queries/transcript.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { exitCodes } from '../exit-codes.ts'
import { deliverResult, requireResultPlaces, writePatchFile } from '../follow-run.ts'
import { openHost } from '../open-host.ts'

/** `coppice export`: writes a thread's results as files. */
export async function exportThread(line: CommandLine): Promise<number> {
  const [given] = line.positionals
  if (given === undefined) throw new UsageError('export needs a thread. "coppice threads" lists them.')
  const [patch, transcript, journal] = ['patch', 'transcript', 'journal'].map(line.text)
  if (patch === undefined && transcript === undefined && journal === undefined) {
    throw new UsageError('export needs --patch FILE, --transcript FILE or --journal FILE ("-" is standard output).')
  }
  await using host = await openHost(line, 'cli')
  const { project, thread } = await findThread(host, given)
  requireResultPlaces(line, project.rootFolder)
  if (patch !== undefined) await writePatchFile(project, thread.id, patch)
  if (transcript !== undefined) {
    const form = transcript.endsWith('.json') ? 'json' : 'markdown'
    const text = transcriptOf(project, thread.id, form, line.flag('with-secrets'))
    await deliverResult(transcript, text, project.rootFolder)
  }
  if (journal !== undefined) await deliverResult(journal, journalLines(project, thread.id), project.rootFolder)
  return exitCodes.done
}
