import { type CallEffects, runsUnnamed } from '#shared/model/calls/outcome.ts'
import type { PermissionRules } from '#shared/model/settings.ts'
import { isWithin, joinPath, rootPath, type VirtualPath } from '#shared/model/virtual-path.ts'
import { createPatternReader } from './path-patterns.ts'

/** What a command did, as rules about effects judge it. */
export interface JudgedEffects {
  /** Every changed path, both names of a renamed file and what it left for later commands included. */
  readonly paths: readonly VirtualPath[]
  /** Those that later commands run or obey although nobody names them, such as hooks. */
  readonly unnamed: readonly VirtualPath[]
  /** Folders in which it left more than `paths` has. */
  readonly folders: readonly VirtualPath[]
  /** Changed files and what it left; a renamed one counts once. */
  readonly files: number
  readonly deletions: number
  /** True when the sandbox kept it from a host. */
  readonly wasRefusedHosts: boolean
  /** True when its output holds what looks like a key or a token. */
  readonly showsSecrets: boolean
  /** True when it declared tasks for subagents. */
  readonly startsTasks: boolean
}

type Shown = Pick<CallEffects, 'changes'> & Partial<CallEffects>

/** What a card shows, as rules judge it. */
export function judgedEffects(effects: Shown): JudgedEffects {
  const { changes, hosts_refused = [], secrets = [], hidden_secrets, tasks, left_behind: left } = effects
  const { written, deleted, renamed } = changes
  const leftAt = (files: readonly { readonly path: string }[] = []) => files.map(({ path }) => pathOfLeft(path))
  return {
    paths: [...written, ...deleted, ...renamed.flatMap(({ from, to }) => [from, to]), ...leftAt(left?.files)],
    unnamed: leftAt(left?.files.filter(runsUnnamed)),
    folders: (left?.folders ?? []).map(pathOfLeft),
    files: written.length + deleted.length + renamed.length + (left?.count ?? 0),
    deletions: deleted.length + (left?.deleted ?? 0),
    wasRefusedHosts: hosts_refused.length > 0,
    showsSecrets: secrets.length > 0 || hidden_secrets === true,
    startsTasks: tasks !== undefined,
  }
}

/** Rules name the home of commands `~`, as the card does. */
function pathOfLeft(path: string): VirtualPath {
  return (path.startsWith('/') ? path.replace(/(.)\/$/, '$1') : `/${path}`) as VirtualPath
}

/**
 * A rule about what commands did, such as `Effects(src/**, ≤ 20 files, no deletions)`: patterns that all changed paths
 * must fit, and limits. `Effects(no changes)` is one that changed no file.
 */
export interface EffectsRule {
  /** Empty for any path. */
  readonly patterns: readonly string[]
  /** Null without a limit. */
  readonly mostFiles: number | null
  readonly allowsDeletions: boolean
}

/** Undefined for text that is not a rule about effects. Throws nothing; a wrong part makes the whole rule wrong. */
export function parseEffectsRule(text: string): EffectsRule | undefined {
  const parts = /^effects\((.*)\)$/is.exec(text.trim())?.[1]
  if (parts === undefined) return undefined
  const rule = { patterns: [] as string[], mostFiles: null as number | null, allowsDeletions: true }
  for (const part of splitParts(parts)) {
    const most = /^(?:≤|<=|at most)?\s*(\d{1,6})\s+files?$/i.exec(part)?.[1]
    if (most !== undefined) rule.mostFiles = Number(most)
    else if (/^no changes?$/i.test(part)) rule.mostFiles = 0
    else if (/^no deletions?$/i.test(part)) rule.allowsDeletions = false
    else if (/[*./?[{]/.test(part) && !/\s/.test(part)) rule.patterns.push(part)
    else return undefined
  }
  return rule
}

/** Splits at commas outside of braces, which belong to patterns. */
function splitParts(text: string): readonly string[] {
  let depth = 0
  const parts = ['']
  for (const character of text) {
    if (character === '{') depth += 1
    if (character === '}') depth = Math.max(0, depth - 1)
    if (character === ',' && depth === 0) parts.push('')
    else parts.push(`${parts.pop()}${character}`)
  }
  return parts.map((part) => part.trim()).filter((part) => part !== '')
}

/** True for text that is meant as a rule about effects, also when it is wrong. */
export function isAboutEffects(text: string): boolean {
  return /^\s*effects\s*(\(|$)/i.test(text)
}

interface EffectsMatch {
  readonly effect: 'deny' | 'ask' | 'allow'
  readonly text: string
}

/**
 * The rule about effects that decides: deny before ask before allow. A rule that denies or asks decides when any change
 * fits it; one that allows, when all of them do, no host was refused, nothing secret would be shown and no task started.
 * What runs although nobody names it, such as a hook, is allowed only by a pattern.
 */
export function matchEffects(rules: PermissionRules, effects: JudgedEffects): EffectsMatch | undefined {
  for (const effect of ['deny', 'ask'] as const)
    for (const text of rules[effect]) {
      const rule = parseEffectsRule(text)
      if (rule ? touches(rule, effects) : isAboutEffects(text)) return { effect, text }
    }
  const text = rules.allow.find((one) => {
    const rule = parseEffectsRule(one)
    return rule !== undefined && staysWithin(rule, effects)
  })
  return text === undefined ? undefined : { effect: 'allow', text }
}

/** True when the effects stay within everything that the rule says. */
export function staysWithin({ patterns, mostFiles, allowsDeletions }: EffectsRule, effects: JudgedEffects): boolean {
  if (effects.wasRefusedHosts || effects.showsSecrets || effects.startsTasks) return false
  if (mostFiles !== null && effects.files > mostFiles) return false
  if (!allowsDeletions && effects.deletions > 0) return false
  if (patterns.length === 0) return effects.unnamed.length === 0
  return (
    effects.paths.every((path) => fitsAny(patterns, path)) &&
    effects.folders.every((folder) => patterns.some((pattern) => holdsAll(pattern, folder)))
  )
}

const globCharacter = /[*?[\]{}()@+!\\]/

/** True for a pattern that fits everything in a folder. */
function holdsAll(pattern: string, folder: VirtualPath): boolean {
  return withoutBraces(pattern).some((one) => {
    const start = /^(.*?)\/?\*\*$/.exec(fromTop(one))?.[1]
    return start !== undefined && !globCharacter.test(start) && (start === '' || isWithin(folder, start as VirtualPath))
  })
}

/** False when nothing in a folder fits a pattern for sure. */
function mayTouch(pattern: string, folder: VirtualPath): boolean {
  return withoutBraces(pattern).some((one) => {
    const start = fromTop(one).split(globCharacter, 1).join()
    return start.startsWith(`${folder}/`) || `${folder}/`.startsWith(start) || folder === rootPath
  })
}

const fromTop = (pattern: string): string => pattern.replace(/^(?:\.?\/)?/, '/')

/** More patterns than this stay one, which then says less about a folder. */
const mostAlternatives = 64

/** The pattern once for each choice in its braces: `{a,b}/**` is `a/**` and `b/**`. One with braces in other forms stays as it is. */
function withoutBraces(pattern: string): readonly string[] {
  if (/[\\[\]()]/.test(pattern)) return [pattern]
  let found = [pattern]
  for (;;) {
    const next = found.flatMap((one) => {
      const inner = /\{([^{}]*)\}/.exec(one)
      if (!inner) return [one]
      const around = (choice: string) => one.slice(0, inner.index) + choice + one.slice(inner.index + inner[0].length)
      return (inner[1] ?? '').split(',').map(around)
    })
    if (next.length > mostAlternatives) return [pattern]
    if (next.every((one, at) => one === found[at])) return found
    found = next
  }
}

/**
 * True when the effects are what a rule that denies or asks is about: a path that fits, more files than it names, or
 * deletions when it says `no deletions`. Without limits, any change is.
 */
function touches({ patterns, mostFiles, allowsDeletions }: EffectsRule, effects: JudgedEffects): boolean {
  const fits = effects.paths.some((path) => patterns.length === 0 || fitsAny(patterns, path))
  if (!fits && !effects.folders.some((folder) => patterns.some((pattern) => mayTouch(pattern, folder)))) return false
  if (mostFiles === null && allowsDeletions) return true
  return (mostFiles !== null && effects.files > mostFiles) || (!allowsDeletions && effects.deletions > 0)
}

function fitsAny(patterns: readonly string[], path: VirtualPath): boolean {
  const read = createPatternReader()
  return patterns.some((pattern) => read(pattern)?.fits(path) ?? false)
}

/** The next round number of files, so that a rule fits similar commands too. */
const roundCounts = [5, 10, 20, 50, 100, 1000]
const mostFolders = 3

/**
 * Rules that would have kept these effects without a question, the narrowest first. Empty when no rule could: a host was
 * refused, or the output seems to hold a secret.
 */
export function proposeEffectsRules(effects: JudgedEffects): readonly string[] {
  if (effects.wasRefusedHosts || effects.showsSecrets || effects.startsTasks) return []
  if (effects.files === 0) return ['Effects(no changes)']
  const most = roundCounts.find((count) => count >= effects.files)
  const limits = [
    ...(most === undefined ? [] : [`≤ ${most} files`]),
    ...(effects.deletions === 0 ? ['no deletions'] : []),
  ]
  const named = effects.paths.map((path) => (effects.unnamed.includes(path) ? asPattern(path) : placeOf(path)))
  const places = [...new Set([...named, ...effects.folders.map((folder) => placeOf(joinPath(folder, '_')))])].sort()
  // A name such as `*` would allow more than itself.
  const isPlain = places.every((place) => !globCharacter.test(place.replace(/\/\*\*$/, '')))
  const rules = [...(places.length <= mostFolders && isPlain ? [[...places, ...limits]] : []), limits]
  const texts = rules.map((parts) => `Effects(${parts.join(', ')})`)
  return [...new Set(texts)].filter((text) => {
    const rule = parseEffectsRule(text)
    return rule !== undefined && text !== 'Effects()' && staysWithin(rule, effects)
  })
}

/** The folder below the root, or below the home, that a path is in, as a pattern; the path itself for a file there. */
function placeOf(path: VirtualPath): string {
  const [, first = '', ...rest] = path.split('/')
  if (first === '~' && rest.length > 1) return `~/${rest[0]}/**`
  return rest.length === 0 || first === '~' ? asPattern(path) : `${first}/**`
}

function asPattern(path: VirtualPath): string {
  return path.startsWith('/~/') ? path.slice(1) : path
}
