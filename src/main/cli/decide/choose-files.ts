import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { plural } from '#shared/text/plural.ts'
import { changedFiles, type TriedRequest } from '#shared/tools/card.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import { type Dialogue, say } from './dialogue.ts'

const letters = { written: 'M', deleted: 'D', renamed: 'R' } as const

/** Lets a person choose the files of a tried call that are kept, by their numbers. Null when they go back. */
export async function chooseFiles(dialogue: Dialogue, request: TriedRequest): Promise<readonly VirtualPath[] | null> {
  const files = changedFiles(request.effects)
  const { region, keyboard, signal } = dialogue
  say(
    dialogue,
    files.map(({ path, from, kind }, index): Line => {
      const name = from === null ? path : `${from} → ${path}`
      return [
        { text: `  ${index + 1} `, tone: 'accent' },
        { text: `${letters[kind]} `, tone: kind === 'deleted' ? 'bad' : 'dim' },
        { text: name },
      ]
    }),
  )
  for (;;) {
    region.clear()
    const typed = await keyboard.line('Files to keep, such as 1 3-5 (Ctrl+D goes back): ', signal)
    if (typed === null || typed.trim() === '') return null
    const numbers = readNumbers(typed, files.length)
    if (numbers !== null) return numbers.flatMap((number) => files[number - 1]?.path ?? [])
    say(dialogue, [
      lineOf(
        `Write numbers from 1 to ${files.length}, as in 1 3-5. There are ${plural(files.length, 'file', 'files')}.`,
        'bad',
      ),
    ])
  }
}

/** The numbers of a text such as `1 3-5`, each once. Null when it is not that, or a number is not from 1 to `most`. */
function readNumbers(text: string, most: number): readonly number[] | null {
  const numbers = new Set<number>()
  for (const part of text.split(/[\s,]+/).filter(Boolean)) {
    const [, from, to] = /^(\d{1,6})(?:[-–](\d{1,6}))?$/.exec(part) ?? []
    const [first, last] = [Number(from), Number(to ?? from)]
    if (from === undefined || first < 1 || last > most || first > last) return null
    for (let number = first; number <= last; number++) numbers.add(number)
  }
  return [...numbers]
}
