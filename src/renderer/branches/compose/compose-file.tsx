import { ChevronDown, ChevronUp } from 'lucide-react'
import { type ReactNode, useMemo, useRef } from 'react'
import type { CompositionFile, CompositionRow } from '#shared/contract/views/compositions.ts'
import { type HunkPick, hunksOf } from '#shared/model/compose/composition.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { useApp } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import type { ComposedBranches } from '../../state/store/ui-state.ts'
import { composeStrings as labels } from '../../strings/composing/compose.ts'
import { strings } from '../../strings/strings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { AgentProposal } from '../conflict/agent-proposal.tsx'
import { ComposeHunks } from './compose-hunks.tsx'
import { ComposeResult } from './compose-result.tsx'
import { changeFile, choiceFor, type FileDraft, isOutdated, pickHunk, picksOf, resultOf } from './composition-draft.ts'
import { type OpenComposition, proposalBranch } from './use-composition.ts'
import { useHunkKeys } from './use-hunk-keys.ts'
import { WholeVersions } from './whole-versions.tsx'

interface ComposeFileProps {
  readonly composed: ComposedBranches
  readonly composition: OpenComposition
  readonly row: CompositionRow
  readonly names: readonly string[]
}

/** One file of a composition: its versions, what is chosen of them, and the result. */
export function ComposeFile(props: ComposeFileProps): ReactNode {
  const { composition, row } = props
  const { request, version } = composition
  const [file, reload] = useQuery('compositions.file', { ...request, path: row.path }, `${version} ${row.fingerprint}`)
  if (file.state === 'failed') return <RefusalNotice refusal={file.refusal} onRetry={reload} />
  if (!file.value) return <Waiting label={strings.common.loading} />
  return <ChosenFile {...props} file={file.value} />
}

function ChosenFile({
  composed,
  composition,
  row,
  names,
  file,
}: ComposeFileProps & { file: CompositionFile }): ReactNode {
  const own = composition.draft.get(row.path)
  const box = useRef<HTMLElement>(null)
  const { segments } = file
  const hunks = useMemo(() => hunksOf(segments), [segments])
  const picks = useMemo(() => picksOf(row, own), [row, own])
  const choice = choiceFor(row, own)
  const isWhole = row.versions.some(({ whole }) => whole !== null)
  const result = useMemo(() => resultOf(segments, picks), [segments, picks])
  const change = (work: (draft: FileDraft) => FileDraft): void =>
    composition.change(changeFile(composition.draft, row, work))
  const pick = (hunk: number, chosen: HunkPick): void => change((draft) => pickHunk(draft, hunk, chosen))
  const takeWhole = (from: number | null): void =>
    change(({ text: _text, ...draft }) => ({ ...draft, picks: {}, whole: from }))
  const { at, setAt, goTo, onKeyDown } = useHunkKeys({ box, row, segments, picks, isWhole, pick, takeWhole })
  const shown = isWhole ? null : own?.text === undefined ? result : { text: own.text, marks: [] }
  return (
    <section ref={box} aria-label={row.path} onKeyDown={onKeyDown} className="flex min-h-0 flex-col">
      <div className="@container flex min-h-0 flex-[3] flex-col gap-2 overflow-auto p-3">
        {isOutdated(row, composition.draft) && <Notice tone="warning" title={labels.outdated} />}
        <Proposal {...{ composed, composition, row }} onTake={(text) => change((draft) => ({ ...draft, text }))} />
        {isWhole && <WholeVersions row={row} choice={choice} names={names} onTake={takeWhole} />}
        {own?.text !== undefined && (
          <WholeText text={own.text} path={row.path} onChange={(text) => change((draft) => ({ ...draft, text }))}>
            <Button onClick={() => change(({ text: _text, ...draft }) => draft)}>{labels.backToHunks}</Button>
          </WholeText>
        )}
        {!isWhole && own?.text === undefined && (
          <>
            {hunks.length > 1 && (
              <span className="flex self-end">
                <IconButton label={labels.previous} keys="p" disabled={at === 0} onClick={() => goTo(at - 1)}>
                  <ChevronUp size={15} aria-hidden />
                </IconButton>
                <IconButton label={labels.next} keys="n" disabled={at >= hunks.length - 1} onClick={() => goTo(at + 1)}>
                  <ChevronDown size={15} aria-hidden />
                </IconButton>
              </span>
            )}
            <ComposeHunks
              {...{ segments, picks, names, at }}
              label={labels.hunks(row.path)}
              onReach={setAt}
              onPick={pick}
            />
          </>
        )}
      </div>
      {shown && (
        <div className="flex min-h-24 flex-[2] flex-col">
          <ComposeResult path={row.path} text={shown.text} marks={shown.marks} picks={picks} names={names} />
        </div>
      )}
    </section>
  )
}

interface WholeTextProps {
  readonly path: string
  readonly text: string
  readonly onChange: (text: string) => void
  readonly children: ReactNode
}

function WholeText({ path, text, onChange, children }: WholeTextProps): ReactNode {
  return (
    <div className="flex flex-col gap-2">
      <span className="flex items-center gap-2">
        <span className="flex-1 text-muted">{labels.wholeText}</span>
        {children}
      </span>
      <TextArea
        aria-label={labels.resultOf(path)}
        rows={14}
        className="font-mono text-xs"
        value={text}
        onChange={(event) => onChange(event.target.value)}
      />
    </div>
  )
}

interface ProposalProps extends Pick<ComposeFileProps, 'composed' | 'composition' | 'row'> {
  readonly onTake: (text: string) => void
}

/** Lets an agent join the versions. Absent where one of them is no text. */
function Proposal({ composed, composition, row, onTake }: ProposalProps): ReactNode {
  const id = proposalBranch(composed, row.versions)
  const branch = useApp((state) => (id === null ? undefined : state.project.branches.get(id)))
  const isText = row.hunks > 0 && row.versions.every(({ whole }) => whole === null)
  if (!branch || !isText || row.versions.length < 2) return null
  return (
    <AgentProposal
      branch={branch}
      path={row.path}
      ask={() => composition.ask(row.path)}
      askLabel={labels.ask}
      onTake={(text, onTaken) => {
        onTake(text)
        onTaken()
      }}
    />
  )
}
