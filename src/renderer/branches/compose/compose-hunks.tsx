import type { ReactNode } from 'react'
import type { ComposeHunk, ComposeSegment, HunkPick } from '#shared/model/compose/composition.ts'
import { hunksOf, textFrom, variantsOf } from '#shared/model/compose/composition.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { withKeys } from '../../ui/react/elements.tsx'
import { VersionLines } from '../version-lines.tsx'
import { bothOf, type Chosen } from './composition-draft.ts'

interface ComposeHunksProps {
  readonly label: string
  readonly segments: readonly ComposeSegment[]
  readonly picks: readonly Chosen[]
  /** By the position of a source. */
  readonly names: readonly string[]
  /** The hunk that keys decide. */
  readonly at: number
  readonly onReach: (hunk: number) => void
  readonly onPick: (hunk: number, pick: HunkPick) => void
}

/** The hunks of a file: base and every version side by side, each with its own choice. */
export function ComposeHunks(props: ComposeHunksProps): ReactNode {
  const { label, segments } = props
  const hunks = hunksOf(segments)
  return (
    <ol aria-label={label} className="flex flex-col gap-2">
      {withKeys(hunks).map(({ key, item }) => (
        <li key={key}>
          <OneHunk {...props} hunk={item} place={Number(key)} of={hunks.length} />
        </li>
      ))}
    </ol>
  )
}

interface OneHunkProps extends ComposeHunksProps {
  readonly hunk: ComposeHunk
  readonly place: number
  /** How many hunks the file has. */
  readonly of: number
}

function OneHunk({ segments, picks, names, at, onReach, onPick, hunk, place, of }: OneHunkProps): ReactNode {
  const chosen = picks[place] ?? null
  const variants = variantsOf(hunk)
  const both = bothOf(segments, place)
  const from = chosen && 'from' in chosen.pick ? chosen.pick.from : null
  const isTaken = (sources: readonly number[]) => from !== null && sources.some((source) => from.includes(source))
  const isBoth = both !== null && from !== null && both.every((source) => from.includes(source))
  const typed = chosen && 'text' in chosen.pick ? chosen.pick.text : null
  return (
    <fieldset
      aria-label={labels.hunk(place + 1, of)}
      data-hunk={place}
      tabIndex={-1}
      onFocus={() => onReach(place)}
      className={classNames(
        'min-w-0 rounded-md border outline-none focus-visible:outline-2 focus-visible:outline-accent',
        place === at ? 'border-line-strong' : 'border-line',
      )}
    >
      <div
        className={classNames(
          'flex flex-wrap items-center gap-2 rounded-t-md border-line border-b bg-panel px-2 py-1',
          chosen === null && 'compose-undecided',
        )}
      >
        <span className="font-medium">{labels.hunk(place + 1, of)}</span>
        <span className="text-muted text-xs">{decisionText(chosen, names)}</span>
        <span className="ml-auto flex flex-wrap gap-1">
          <Button aria-pressed={from?.length === 0} title="0" onClick={() => onPick(place, { from: [] })}>
            {labels.base}
          </Button>
          {variants.map(({ sources }) => (
            <Button
              key={sources.join()}
              aria-pressed={isTaken(sources) && !(isBoth && variants.length > 1)}
              title={sources.map((source) => source + 1).join(', ')}
              onClick={() => onPick(place, { from: sources })}
            >
              {namesOf(sources, names)}
            </Button>
          ))}
          {both && variants.length > 1 && (
            <Button aria-pressed={isBoth} title="B" onClick={() => onPick(place, { from: both })}>
              {labels.both}
            </Button>
          )}
          <Button
            aria-pressed={typed !== null}
            title="E"
            onClick={() => onPick(place, { text: typed ?? textFrom(hunk, from ?? []) ?? '' })}
          >
            {labels.byHand}
          </Button>
        </span>
      </div>
      <div className="grid @2xl:auto-cols-fr @2xl:grid-flow-col @2xl:divide-x @2xl:divide-y-0 divide-y divide-line">
        <VersionLines label={labels.base} lines={linesOf(hunk.base.join(''))} look={lookOf(from?.length === 0)} />
        {variants.map(({ sources, text }) => (
          <VersionLines
            key={sources.join()}
            label={namesOf(sources, names)}
            lines={linesOf(text)}
            look={lookOf(isTaken(sources))}
          />
        ))}
      </div>
      {typed !== null && (
        <TextArea
          aria-label={labels.byHandText(place + 1)}
          rows={Math.min(Math.max(typed.split('\n').length, 3), 14)}
          className="w-full font-mono text-xs"
          value={typed}
          onChange={(event) => onPick(place, { text: event.target.value })}
        />
      )}
    </fieldset>
  )
}

function namesOf(sources: readonly number[], names: readonly string[]): string {
  return sources.map((source) => names[source] ?? '').join(' = ')
}

/** Says in words what a hunk gets, and why. */
export function decisionText(chosen: Chosen, names: readonly string[]): string {
  if (chosen === null) return labels.undecided
  const { pick, evidence } = chosen
  if ('text' in pick) return labels.takesHand
  const what =
    pick.from.length === 0 ? labels.takesBase : labels.takes(pick.from.map((source) => names[source] ?? '').join(', '))
  return evidence === null ? what : `${what} · ${labels.because(labels.evidence[evidence])}`
}

const lookOf = (isTaken: boolean): string => (isTaken ? 'compose-taken' : '')

function linesOf(text: string): readonly string[] {
  return text.split('\n').slice(0, text.endsWith('\n') || text === '' ? -1 : undefined)
}
