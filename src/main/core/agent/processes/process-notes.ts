import { type HiddenFiles, hiddenNote } from '../../trial/hidden-files.ts'

/** What to say about the files of a process. */
export interface ViewNotes {
  readonly files: Pick<HiddenFiles, 'paths' | 'unsearched'>
  /** About its start, as sentences. */
  readonly texts: readonly string[]
}

/** Returns what the agent has not heard of yet, as lines; empty for nothing. `output` is what it reads now. */
export type TellNotes = (output: string, failed: boolean) => string

/** The notes that a command gets with its result. A process has many results, so each says only what is new. */
export function createTellNotes({ files, texts }: ViewNotes, command: string): TellNotes {
  const told = new Set<string>()
  return (output, failed) => {
    const news = [...texts, hiddenNote(files, `${command}\n${output}`, failed ? 'failed' : 'neither')].filter(
      (text) => text !== '' && !told.has(text),
    )
    for (const text of news) told.add(text)
    return news.join('\n')
  }
}
