import { stringify } from 'yaml'
import { looksSecret } from '#core/secrets/secrets.ts'
import { byCodeUnit } from '#shared/base/code-unit-order.ts'
import { oneLine } from '#shared/text/control-characters.ts'
import { readFrontMatter } from '../extensions/front-matter.ts'
import { mostBytes } from '../extensions/project-text.ts'
import { agentDraft, type GivenAgent } from './agents.ts'
import { type Draft, leftOut, type Origin, type WrittenFile } from './draft.ts'
import { filesBelow, type Place } from './place.ts'

/** Where definitions of one kind are in a place, by a tool. */
export type Found = Omit<Origin, 'source' | 'kind' | 'scope'>

const isMarkdown = (name: string) => /\.md$/i.test(name)

/** The front matter of a text, which may have none. A front matter that cannot be read is a text. */
function splitMatter(text: string): GivenAgent {
  const read = readFrontMatter('', text)
  return 'message' in read ? { data: {}, prompt: text } : { data: read.data, prompt: read.body }
}

/** The types of agents that Markdown files below a folder define. */
export async function agentFiles(place: Place, found: Found, folder: string): Promise<readonly Draft[]> {
  return eachFile(place, found, 'agent', folder, isMarkdown, (origin, names, text) => {
    const { data, prompt } = splitMatter(text)
    if (data.disable === true || data.disabled === true)
      return leftOut(origin, nameIn(names), 'It is switched off there.')
    return agentDraft(origin, nameIn(names), { data, prompt: prompt.trim() })
  })
}

function nameIn(names: readonly string[]): string {
  return (names.at(-1) ?? '').replace(/(\.agent)?\.md$/i, '')
}

/** What a tool writes into its commands that is not read here. */
export interface CommandDialect {
  /** Keys of the front matter that mean the same here. */
  readonly keys: readonly string[]
  /** Says what a text holds that is not filled in here. */
  readonly notes: (body: string) => readonly string[]
}

/** The commands that Markdown files below a folder define. */
export async function commandFiles(
  place: Place,
  found: Found,
  folder: string,
  dialect: CommandDialect,
): Promise<readonly Draft[]> {
  return eachFile(place, found, 'command', folder, isMarkdown, (origin, names, text) => {
    const { data, prompt } = splitMatter(text)
    return commandDraft(
      origin,
      names.map((name) => name.replace(/\.md$/i, '')),
      { data, prompt },
      dialect,
    )
  })
}

/** The draft of one command. `names`: its folders, and its own name. */
export function commandDraft(
  origin: Origin,
  names: readonly string[],
  { data, prompt }: GivenAgent,
  { keys, notes }: CommandDialect,
): Draft {
  const name = names.join(':')
  const path = filePath('commands', names, '.md')
  if (path === undefined) return leftOut(origin, name, 'Its name cannot be that of a file here.')
  if (prompt.trim() === '') return leftOut(origin, name, 'It says nothing to the agent.')
  const kept = Object.entries(data).filter(([key, value]) => keys.includes(key) && typeof value === 'string')
  const unused = Object.keys(data).filter((key) => !keys.includes(key))
  const matter = kept.length === 0 ? '' : `---\n${stringify(Object.fromEntries(kept))}---\n`
  const text = `${matter}${matter === '' ? '' : '\n'}${prompt.trim()}\n`
  const all = [...(unused.length === 0 ? [] : [`Not taken: ${unused.join(', ')}.`]), ...notes(prompt)]
  return textDraft(
    { ...origin, name, becomes: { to: 'files', files: [{ path, text }] }, notes: all, isWhole: all.length === 0 },
    text,
  )
}

/** A draft, unless its text holds a secret or is too long to be read here. */
function textDraft(draft: Draft, text: string): Draft {
  if (looksSecret(text)) return leftOut(draft, draft.name, 'It holds what looks like a key, a token or a password.')
  if (Buffer.byteLength(text) > mostBytes)
    return leftOut(draft, draft.name, `It is larger than ${mostBytes / 1024} KB.`)
  return draft
}

/** Names of devices on Windows, with any ending. */
const reserved = /^(?:con|prn|aux|nul|com[0-9¹²³]|lpt[0-9¹²³])(?:\..*)?$/i
/** Bytes. A name of a file may have 255, with its ending and with what is added while it is written. */
const mostOfName = 180

/** A path below a folder of the app's data. Undefined for names that no file should have. */
function filePath(folder: string, names: readonly string[], ending = ''): string | undefined {
  const isPlain = names.every((name) => /^[^\p{C}/\\:*?"<>|]{1,100}$/u.test(name) && !/^[. ]|[. ]$/.test(name))
  const fits = names.every((name) => !reserved.test(name) && Buffer.byteLength(name) <= mostOfName)
  return isPlain && fits && names.length > 0 && names.length <= 8
    ? `${[folder, ...names].join('/')}${ending}`
    : undefined
}

/** Text files of one skill that are taken, and their bytes together. */
const mostOfSkill = { files: 50, characters: 2 * 1024 * 1024 } as const

/** The skills in folders below a folder. Those that a folder read here holds are read there. */
export async function skillFolders(
  place: Place,
  found: Found,
  folder: string,
  isReadHere: (path: string) => boolean,
): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const { name, kind } of await place.list(folder)) {
    const at = `${folder}/${name}`
    // Folders whose names begin with a dot are those that the tool itself brings.
    if (kind !== 'folder' || name.startsWith('.')) continue
    const origin: Origin = { ...found, kind: 'skill', scope: place.scope, source: place.label(`${at}/SKILL.md`) }
    const real = await place.leadsTo(at)
    if (real !== undefined && real !== at && isReadHere(real)) {
      drafts.push({
        ...origin,
        name,
        becomes: { to: 'nothing', state: 'read_here' },
        notes: [`It is a link to ${place.label(real)}.`],
        isWhole: true,
      })
      continue
    }
    const draft = await skillDraft(place, origin, name, at)
    if (draft !== undefined) drafts.push(draft)
  }
  return drafts
}

async function skillDraft(place: Place, origin: Origin, name: string, at: string): Promise<Draft | undefined> {
  const files = await filesBelow(place, at, () => true)
  if (!files.some(({ names }) => names.length === 1 && names[0] === 'SKILL.md')) return undefined
  const taken: WrittenFile[] = []
  const left: string[] = []
  let size = 0
  for (const { path, names } of files.toSorted((a, b) => byCodeUnit(a.path, b.path))) {
    const own = filePath('skills', [name, ...names])
    const text = own === undefined || taken.length === mostOfSkill.files ? undefined : await place.read(path)
    size += text?.length ?? 0
    if (
      own === undefined ||
      text === undefined ||
      text.includes('\0') ||
      text.length > mostBytes ||
      size > mostOfSkill.characters
    )
      left.push(names.join('/'))
    else taken.push({ path: own, text })
  }
  const main = taken.find(({ path }) => path === `skills/${name}/SKILL.md`)
  if (main === undefined)
    return leftOut(
      origin,
      name,
      'Its SKILL.md cannot be taken: it is no text, or too long, or its name cannot be that of a folder here.',
    )
  if (typeof splitMatter(main.text).data.description !== 'string')
    return leftOut(origin, name, 'It has no description, by which agents here choose it.')
  const secret = taken.find(({ text }) => looksSecret(text))
  if (secret !== undefined)
    return leftOut(
      origin,
      name,
      `${secret.path.slice('skills/'.length)} holds what looks like a key, a token or a password.`,
    )
  const notes =
    left.length === 0
      ? []
      : [
          `Not taken: ${oneLine(left.slice(0, 10).join(', '))}${left.length > 10 ? ` and ${left.length - 10} more` : ''}. Only texts of ${mostBytes / 1024} KB at most, ${mostOfSkill.files} of them, are.`,
        ]
  return { ...origin, name, becomes: { to: 'files', files: taken }, notes, isWhole: notes.length === 0 }
}

/** Written instructions: in the home they are for every project, and in a folder they become a note of that project. */
function instructionsDraft(origin: Origin, name: string, { data, prompt }: GivenAgent): Draft {
  const files = patternsIn(data)
  const when =
    typeof data.description === 'string' && data.alwaysApply !== true && files.length === 0
      ? data.description.trim()
      : ''
  const lead =
    files.length > 0
      ? `For files that fit ${files.join(', ')}:\n\n`
      : when === ''
        ? ''
        : `When this fits – ${oneLine(when)}:\n\n`
  const text = `${lead}${prompt.trim()}\n`
  if (prompt.trim() === '') return leftOut(origin, name, 'It says nothing.')
  const imports = /(^|\s)@(?:\.{0,2}\/|~\/)?[\w./-]*\w/.test(prompt.replace(/```[\s\S]*?```|`[^`\n]*`/g, ''))
  const notes = [
    ...(files.length > 0 ? ['There it is shown only for some files. Here it says for which ones.'] : []),
    ...(imports ? ['Files that it names with @ are not taken with it.'] : []),
    ...(origin.scope === 'folder'
      ? ['It becomes a note of this project: agents see its name, and read it when it fits.']
      : []),
  ]
  const becomes = origin.scope === 'home' ? ({ to: 'instructions', text } as const) : ({ to: 'memory', text } as const)
  return textDraft({ ...origin, name, becomes, notes, isWhole: files.length === 0 && !imports }, text)
}

/** Patterns of files: a list, or one text with commas. */
function patternsIn({ globs, paths }: Readonly<Record<string, unknown>>): readonly string[] {
  const given = globs ?? paths
  const list = Array.isArray(given) ? given : typeof given === 'string' ? given.split(',') : []
  return list.flatMap((one) => (typeof one === 'string' && one.trim() !== '' ? [oneLine(one.trim())] : [])).slice(0, 50)
}

/** Instructions in files below a folder. */
export async function instructionFiles(
  place: Place,
  found: Found,
  folder: string,
  ending: RegExp,
): Promise<readonly Draft[]> {
  return eachFile(
    place,
    found,
    'instructions',
    folder,
    (name) => ending.test(name),
    (origin, names, text) => instructionsDraft(origin, names.join('/').replace(ending, ''), splitMatter(text)),
  )
}

/** Instructions in one file. None where it is not there. */
export async function instructionFile(
  place: Place,
  found: Found,
  path: string,
  name: string,
): Promise<readonly Draft[]> {
  const text = await place.read(path)
  if (text === undefined || text.trim() === '') return []
  return [
    instructionsDraft({ ...found, kind: 'instructions', scope: place.scope, source: place.label(path) }, name, {
      data: {},
      prompt: text,
    }),
  ]
}

async function eachFile(
  place: Place,
  found: Found,
  kind: Origin['kind'],
  folder: string,
  isWanted: (name: string) => boolean,
  make: (origin: Origin, names: readonly string[], text: string) => Draft,
): Promise<readonly Draft[]> {
  const drafts: Draft[] = []
  for (const { path, names } of await filesBelow(place, folder, isWanted)) {
    const text = await place.read(path)
    if (text !== undefined)
      drafts.push(make({ ...found, kind, scope: place.scope, source: place.label(path) }, names, text))
  }
  return drafts
}

/** One note of a tool's memory. */
export function memoryDraft(origin: Origin, name: string, text: string): Draft {
  if (text.trim() === '') return leftOut(origin, name, 'It says nothing.')
  return textDraft({ ...origin, name, becomes: { to: 'memory', text }, notes: [], isWhole: true }, text)
}
