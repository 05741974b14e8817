import type { CompositionSource, CompositionVersion } from '#shared/contract/views/compositions.ts'
import { type HunkPick, hunksOf, textFrom, variantsOf, type WholeReason } from '#shared/model/compose/composition.ts'
import { type Line, lineOf } from '../screen/spans.ts'
import type { ChosenFile } from './read-choices.ts'

/** How people name a source on the command line. */
export function nameOf(source: CompositionSource | undefined): string {
  if (!source) return '?'
  const name = source.handle ?? source.name
  return source.sequence === null ? name : `${name}@${source.sequence}`
}

const reasons: Readonly<Record<WholeReason, string>> = {
  binary: 'binary',
  deleted: 'deletes it',
  large: 'too large to compare',
  link: 'a link',
  mode: 'other permissions',
  rename: 'renames it',
}

const evidence = {
  only: 'the only change',
  same: 'the same change',
  checks: 'its checks alone are green',
  chosen: 'chosen',
} as const

/** A file for a program. */
export function describeFile({ file, picks, choice, why }: ChosenFile, sources: readonly CompositionSource[]) {
  const named = (from: readonly number[]) => from.map((source) => nameOf(sources[source]))
  return {
    path: file.path,
    paths: file.paths,
    decided: choice !== null,
    whole: choice?.kind === 'whole' ? (choice.from === null ? 'base' : nameOf(sources[choice.from])) : null,
    evidence: why,
    versions: file.versions.map(({ source, state, whole }) => ({ branch: nameOf(sources[source]), state, whole })),
    hunks: hunksOf(file.segments).map((hunk, at) => {
      const chosen = picks[at] ?? null
      return {
        number: at + 1,
        base: hunk.base.join(''),
        variants: variantsOf(hunk).map((variant) => ({ branches: named(variant.sources), text: variant.text })),
        both: textFrom(hunk, [...new Set(hunk.changes.map(({ source }) => source))]),
        chosen: chosen && 'from' in chosen.pick ? named(chosen.pick.from) : null,
        evidence: chosen?.why ?? null,
      }
    }),
  }
}

/** A file for a person: its state, and each hunk with its sources. Hunks that wait for a choice are shown with their lines. */
export function fileLines(chosen: ChosenFile, sources: readonly CompositionSource[]): readonly Line[] {
  const { file, picks, choice, why } = chosen
  const isWhole = picks.length === 0
  const head: Line = [
    { text: choice === null ? '? ' : '  ', tone: 'warn' },
    ...lineOf(file.path, 'strong'),
    ...(isWhole
      ? [{ text: `  ${wholeWords(chosen, sources)}`, tone: choice ? ('dim' as const) : ('warn' as const) }]
      : []),
    ...(why && isWhole ? lineOf(` (${evidence[why]})`, 'dim') : []),
  ]
  const hunks = hunksOf(file.segments).flatMap((hunk, at) => {
    const pick = picks[at] ?? null
    if (isWhole) return []
    const variants = variantsOf(hunk)
    const said = pick === null ? 'choose' : `${pickWords(pick.pick, sources)} (${evidence[pick.why]})`
    const who = variants
      .map((variant) => variant.sources.map((source) => nameOf(sources[source])).join(' = '))
      .join(' | ')
    const title: Line = [
      { text: `    ${at + 1}  `, tone: 'dim' },
      { text: who },
      { text: `  → ${said}`, tone: pick === null ? 'warn' : 'dim' },
    ]
    if (pick !== null) return [title]
    return [
      title,
      ...textLines('base', hunk.base.join('')),
      ...variants.flatMap((variant) =>
        textLines(variant.sources.map((source) => nameOf(sources[source])).join(', '), variant.text),
      ),
    ]
  })
  return [head, ...hunks]
}

function wholeWords({ file, choice }: ChosenFile, sources: readonly CompositionSource[]): string {
  if (choice?.kind === 'whole') return `→ ${choice.from === null ? 'base' : nameOf(sources[choice.from])} as a whole`
  const versionWords = ({ source, whole }: CompositionVersion) =>
    `${nameOf(sources[source])}${whole === null ? '' : `: ${reasons[whole]}`}`
  return `${file.versions.map(versionWords).join(' | ')}  → choose one as a whole`
}

function pickWords(pick: HunkPick, sources: readonly CompositionSource[]): string {
  if ('text' in pick) return 'by hand'
  return pick.from.length === 0 ? 'base' : pick.from.map((source) => nameOf(sources[source])).join(' and ')
}

const mostLines = 12

function textLines(name: string, text: string): readonly Line[] {
  const lines = text.split('\n').slice(0, text.endsWith('\n') ? -1 : undefined)
  const more = lines.length - mostLines
  return [
    lineOf(`         ${name}:`, 'dim'),
    ...lines.slice(0, mostLines).map((line) => lineOf(`           ${line}`)),
    ...(more > 0 ? [lineOf(`           … ${more} more`, 'dim')] : []),
  ]
}
