import { exportRecord, replacedSecrets } from '#host/records/record-thread.ts'
import { findThread } from '#host/threads/stored-threads.ts'
import { journalLines, type TranscriptForm, transcriptOf } from '#host/threads/transcript.ts'
import { answerVerb } from '../answer-verb.ts'
import { appVersion } from '../app-paths.ts'
import { type CommandLine, UsageError } from '../arguments.ts'
import { deliverResult, requireResultPlaces, writePatchFile } from '../follow-run.ts'
import { openHost } from '../open-host.ts'
import { printLeftOut, printStatus } from '../print-status.ts'

/** `coppice export`: writes a thread's results as files. */
export function exportThread(line: CommandLine): Promise<number> {
  return answerVerb(line, async () => {
    const [given] = line.positionals
    if (given === undefined) throw new UsageError('export needs a thread. "coppice threads" lists them.')
    const [patch, transcript, journal, record] = ['patch', 'transcript', 'journal', 'record'].map(line.text)
    const files = [patch, transcript, journal, record].filter((file) => file !== undefined)
    if (files.length === 0)
      throw new UsageError(
        'export needs --patch FILE, --transcript FILE, --journal FILE or --record FILE ("-" is standard output).',
      )
    if (line.flag('json') && files.includes('-'))
      throw new UsageError('--json prints to standard output, so name files instead of "-".')
    await using host = await openHost(line, 'cli')
    const { project, thread, leftOut } = await findThread(host, given)
    printLeftOut(leftOut)
    requireResultPlaces(line, project.rootFolder)
    if (patch !== undefined) await writePatchFile(project, thread.id, patch)
    if (transcript !== undefined) {
      const text = await transcriptOf(project, thread.id, formOf(transcript), line.flag('with-secrets'))
      await deliverResult(transcript, text, project.rootFolder)
    }
    if (journal !== undefined) await deliverResult(journal, journalLines(project, thread.id), project.rootFolder)
    if (record !== undefined) {
      const options = { version: appVersion(), withSecrets: line.flag('with-secrets') }
      const { text, replaced } = await exportRecord(project, thread.id, options)
      await deliverResult(record, text, project.rootFolder)
      if (replaced > 0) printStatus(replacedSecrets(replaced))
    }
    return { value: { threadId: thread.id, patch, transcript, journal, record }, lines: [] }
  })
}

/** By the end of the file's name. */
function formOf(file: string): TranscriptForm {
  if (file.endsWith('.json')) return 'json'
  return /\.html?$/.test(file) ? 'html' : 'markdown'
}
