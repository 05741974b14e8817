import { createHash } from 'node:crypto'
import { isDeepStrictEqual } from 'node:util'
import type { SettingEdit } from '#adapters/settings/settings-file.ts'
import { memoryPath } from '#core/commands/memory.ts'
import { memoryProblem } from '#core/memory/memory-files.ts'
import type { ImportItem, ImportTool } from '#shared/contract/views/imports.ts'
import { agentsIn } from '../extensions/agents.ts'
import { isRecord } from '../extensions/front-matter.ts'
import { hooksIn } from '../hooks/read-hooks.ts'
import { serversIn } from '../mcp/mcp-definitions.ts'
import type { Draft, WrittenFile } from './draft.ts'
import { instructionsFile, type Present } from './present.ts'
import { withoutSecrets } from './secret-values.ts'

/** What taking one item over writes. */
export type Write =
  | {
      readonly to: 'setting'
      readonly edit: SettingEdit
      /** The value that this replaces. Undefined for none. */
      readonly before: unknown
      /** Of a hook: it begins switched off. */
      readonly hook?: string
    }
  | ({ readonly to: 'file' } & WrittenFile)
  /** A part of the person's instructions, with marks around it. */
  | { readonly to: 'block'; readonly before: string | null; readonly text: string }
  | { readonly to: 'memory'; readonly name: string; readonly text: string }

/** An item with what taking it over writes. */
export interface Planned {
  readonly item: ImportItem
  readonly writes: readonly Write[]
}

/** What a draft would change, compared with what is here. */
interface Compared {
  readonly target: string
  readonly preview: string
  readonly before: string | null
  readonly state: ImportItem['state']
  readonly writes: readonly Write[]
  /** Why it cannot be taken. */
  readonly refusal?: string
}

/** Compares drafts with what is here. Two items that would be the same thing here are both listed, and one can be taken. */
export function compareDrafts(drafts: readonly Draft[], present: Present): readonly Planned[] {
  const idOf = createIds()
  const rivals = new Map<string, Planned>()
  return drafts.map((draft) => {
    const { becomes, isWhole, ...shown } = draft
    const compared = compareOne(draft, present)
    const isRefused = compared.refusal !== undefined
    const state = isRefused ? ('left_out' as const) : compared.state
    const key = `${draft.kind} ${compared.target}`
    const rival = state === 'new' || state === 'differs' ? rivals.get(key) : undefined
    const item: ImportItem = {
      ...shown,
      id: idOf(`${draft.tool}/${draft.scope}/${draft.kind}/${draft.name}`),
      target: isRefused ? '' : compared.target,
      preview: compared.preview,
      before: isRefused ? null : compared.before,
      state: rival?.item.preview === compared.preview ? 'same' : state,
      safe: isWhole && state === 'new' && rival === undefined && isQuiet(draft),
      notes: [
        ...(compared.refusal === undefined ? [] : [compared.refusal]),
        ...(rival === undefined
          ? []
          : [`${toolNames[rival.item.tool]} has it too (${rival.item.source}). Only one of them can be taken.`]),
        ...draft.notes,
      ],
    }
    const planned = { item, writes: isRefused || item.state === 'same' ? [] : compared.writes }
    if (rival === undefined && (state === 'new' || state === 'differs')) rivals.set(key, planned)
    return planned
  })
}

/** Gives each item an id of its own: a name may end like a counted one. */
function createIds(): (base: string) => string {
  const ids = new Set<string>()
  const counts = new Map<string, number>()
  return (base) => {
    let count = counts.get(base) ?? 1
    while (ids.has(count === 1 ? base : `${base}#${count}`)) count += 1
    counts.set(base, count)
    const id = count === 1 ? base : `${base}#${count}`
    ids.add(id)
    return id
  }
}

/** Of the person's own home, or of the open project for that project alone. A hook is a program, so it is always chosen by hand. */
function isQuiet({ scope, kind, becomes }: Draft): boolean {
  return kind !== 'hook' && (scope === 'home' || becomes.to === 'memory')
}

const toolNames: Readonly<Record<ImportTool, string>> = {
  claude: 'Claude Code',
  codex: 'Codex',
  cursor: 'Cursor',
  opencode: 'OpenCode',
}

/** Identifies exactly these items with what they write. */
export function fingerprintOf(planned: readonly Planned[]): string {
  return createHash('sha256').update(JSON.stringify(planned)).digest('hex')
}

function compareOne({ becomes, name, kind, tool, source }: Draft, present: Present): Compared {
  switch (becomes.to) {
    case 'nothing':
      return { target: '', preview: '', before: null, state: becomes.state, writes: [] }
    case 'server':
      return compareServer(name, becomes.value, present)
    case 'agent':
      return compareAgent(becomes.value, present)
    case 'rule':
      return compareRule(becomes.effect, becomes.rule, present)
    case 'hook':
      return compareHook(becomes.event, becomes.group, present)
    case 'files':
      return compareFiles(becomes.files, present)
    case 'instructions':
      return compareInstructions(source, becomes.text, present)
    case 'memory':
      return compareMemory(`${tool}/${kind === 'memory' ? name : withEnding(name)}`, becomes.text, present)
  }
}

function withEnding(name: string): string {
  const plain = name.replace(/^\.+/, '')
  return /\.md$/i.test(plain) ? plain : `${plain}.md`
}

function inSettings(present: Present, path: string): Pick<Compared, 'target' | 'refusal'> {
  const { settingsFile, settingsProblem } = present
  return { target: `${settingsFile}: ${path}`, ...(settingsProblem !== null && { refusal: settingsProblem }) }
}

const json = (value: unknown) => JSON.stringify(value, null, 2)

function compareServer(name: string, value: object, present: Present): Compared {
  const before = present.settings.mcp_servers?.[name]
  const [problem] = serversIn({ [name]: value }, 'user').problems
  const meant = (given: unknown) => serversIn({ [name]: given }, 'user').servers[0]
  const isSame = before !== undefined && isDeepStrictEqual(meant(before), meant(value))
  return {
    ...inSettings(present, `mcp_servers.${name}`),
    ...(problem !== undefined && { refusal: problem }),
    preview: json({ [name]: value }),
    before: before === undefined || isSame ? null : json({ [name]: withoutSecrets(before) }),
    state: before === undefined ? 'new' : isSame ? 'same' : 'differs',
    writes: [{ to: 'setting', edit: { path: ['mcp_servers', name], value }, before }],
  }
}

function compareAgent(value: object & { readonly name: string }, present: Present): Compared {
  const list = present.settings.subagents ?? []
  const at = list.findIndex((one) => isRecord(one) && one.name === value.name)
  const before: unknown = list[at]
  const [problem] = agentsIn([value], 'settings').problems
  const isSame = isDeepStrictEqual(before, value)
  return {
    ...inSettings(present, `subagents, ${value.name}`),
    ...(problem !== undefined && { refusal: problem.message }),
    preview: json(value),
    before: before === undefined || isSame ? null : json(withoutSecrets(before)),
    state: before === undefined ? 'new' : isSame ? 'same' : 'differs',
    writes: [{ to: 'setting', edit: { path: ['subagents', at], value }, before }],
  }
}

function compareRule(effect: 'deny' | 'ask', rule: string, present: Present): Compared {
  const isThere = present.settings.permissions?.[effect].includes(rule) ?? false
  return {
    ...inSettings(present, `permissions.${effect}, ${rule}`),
    preview: `${effect}: ${rule}`,
    before: null,
    state: isThere ? 'same' : 'new',
    writes: [{ to: 'setting', edit: { path: ['permissions', effect, -1], value: rule }, before: undefined }],
  }
}

function compareHook(event: string, group: object, present: Present): Compared {
  const own = (given: unknown) => hooksIn(given, { source: 'settings', file: present.settingsFile }).hooks
  const [hook] = own({ [event]: [group] })
  const isThere = own(present.settings.hooks).some(({ hash }) => hash === hook?.hash)
  return {
    ...inSettings(present, `hooks.${event}, ${hook?.command ?? ''}`),
    ...(hook === undefined && { refusal: 'It cannot be read.' }),
    preview: json({ [event]: [group] }),
    before: null,
    state: isThere ? 'same' : 'new',
    writes: [
      { to: 'setting', edit: { path: ['hooks', event, -1], value: group }, before: undefined, hook: hook?.hash ?? '' },
    ],
  }
}

function compareFiles(files: readonly WrittenFile[], present: Present): Compared {
  const there = files.map(({ path }) => present.file(path))
  const [first] = files
  const isSame = files.every(({ text }, index) => there[index] === text)
  const folder = first?.path.split('/').slice(0, 2).join('/') ?? ''
  const path = files.length === 1 && first ? first.path : `${folder}/`
  // Another skill of the same name has other files, or one that differs.
  const isTaken = there.some((text) => text !== undefined)
  const previewOf = (texts: readonly (string | undefined)[]) =>
    texts
      .flatMap((text, index) =>
        text === undefined ? [] : [files.length === 1 ? text : `── ${files[index]?.path}\n${text}`],
      )
      .join('\n')
  return {
    target: `${present.dataFolder}/${path}`,
    ...(files.some((file) => present.isOthers(file.path)) && { refusal: isOthers(`${present.dataFolder}/${path}`) }),
    preview: previewOf(files.map(({ text }) => text)),
    before: isTaken && !isSame ? previewOf(there) : null,
    state: isSame ? 'same' : isTaken ? 'differs' : 'new',
    writes: files.filter(({ text }, index) => there[index] !== text).map((file) => ({ to: 'file', ...file })),
  }
}

function isOthers(path: string): string {
  return `${path} is a link that leads to another folder, or no text, and nothing is written there.`
}

function compareInstructions(source: string, text: string, present: Present): Compared {
  const [begin, end] = marksOf(source)
  const block = `${begin}\n${withoutMarks(text).trimEnd()}\n${end}\n`
  const whole = present.file(instructionsFile) ?? ''
  const start = whole.indexOf(`${begin}\n`)
  const stop = start < 0 ? -1 : whole.indexOf(`${end}\n`, start)
  const before = stop < 0 ? null : whole.slice(start, stop + end.length + 1)
  return {
    target: `${present.dataFolder}/${instructionsFile}, ${source}`,
    ...(present.isOthers(instructionsFile) && { refusal: isOthers(`${present.dataFolder}/${instructionsFile}`) }),
    preview: block,
    before: before === block ? null : before,
    state: before === null ? 'new' : before === block ? 'same' : 'differs',
    writes: [{ to: 'block', before, text: block }],
  }
}

/** A text that begins and ends no part: another import would take what is between for a part of its own. */
function withoutMarks(text: string): string {
  return text.replaceAll('<!-- end of', '<!-- End of').replaceAll('<!-- from', '<!-- From')
}

/** Lines around a part of the instructions. Agents are not shown comments. */
function marksOf(source: string): readonly [begin: string, end: string] {
  const named = source.replaceAll('--', '- -')
  return [`<!-- from ${named} -->`, `<!-- end of ${named} -->`]
}

function compareMemory(name: string, text: string, present: Present): Compared {
  const path = memoryPath(name)
  const before = present.memory?.(name) ?? null
  const problem = memoryProblem(new TextEncoder().encode(text))
  const refusal = present.memory === null ? 'Open its project first.' : path.ok ? problem : path.error.message
  return {
    target: `/memories/${name}`,
    ...(refusal !== null && { refusal }),
    preview: text,
    before: before === text ? null : before,
    state: before === null ? 'new' : before === text ? 'same' : 'differs',
    writes: [{ to: 'memory', name, text }],
  }
}
