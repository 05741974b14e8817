import { type ReactNode, useRef, useState } from 'react'
import type { JsonObject } from '#shared/base/json.ts'
import type { CallPreviewView, FileDiff } from '#shared/contract/views/files.ts'
import type { ActionRequest, Interrupt } from '#shared/model/calls/interrupt.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import {
  argumentsIn,
  type ChangedFile,
  changedFiles,
  type Draft,
  draftOf,
  editsFiles,
  wasTried,
} from '#shared/tools/card.ts'
import { changedText } from '#shared/tools/card-words.ts'
import { findToolFacts } from '#shared/tools/tool-facts.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import type { Loaded } from '../../state/connection/query-cache.ts'
import { useApp, useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { threadOf } from '../../state/store/selectors.ts'
import { cardStrings } from '../../strings/later/card.ts'
import { Button } from '../../ui/controls/button.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { reachable } from '../../ui/react/elements.tsx'
import { useDebounced } from '../../ui/react/observers.ts'
import { Arguments } from './call-text.tsx'
import { ChangedFileRow } from './changed-file.tsx'

const labels = cardStrings

/** So many files are listed at first. */
const listedAtFirst = 12
/** A change of so few lines is read at a glance, so it is open. */
const fewLines = 24
/** Milliseconds after the last key before an edited change is compared. */
const typingPause = 250

interface CardChangeProps {
  readonly interrupt: Interrupt
  readonly request: ActionRequest
  /** The edit that the card shows. Absent or null for none. */
  readonly draft?: Draft | null
  /** The files that are kept; null while the person does not choose. */
  readonly kept?: readonly string[] | null
  readonly onKeep?: (kept: readonly string[]) => void
}

/**
 * What a call changed, as it is stored; or what it would change, found by running it on a copy, for a call that asks before
 * it runs and for an edited change of files.
 */
export function CardChange({ interrupt, request, draft = null, kept = null, onKeep }: CardChangeProps): ReactNode {
  const isEdit = editsFiles(request)
  const edited = useEdited(request, draft)
  const tried = wasTried(request) && !(isEdit && edited !== null) ? request : null
  const [loaded, reload] = useChange(interrupt, request, tried !== null, isEdit ? edited : null)
  if (tried) {
    const files = changedFiles(tried.effects)
    return (
      <>
        {isEdit && files.length === 0 && <Arguments entries={Object.entries(request.args)} />}
        {loaded.state === 'failed' && <RefusalNotice refusal={loaded.refusal} onRetry={reload} />}
        {!isEdit && files.length === 0 && <p className="text-muted">{changedText(tried.effects)}.</p>}
        {files.length > 0 && (
          <FileList
            title={changedText(tried.effects)}
            files={files}
            diffs={diffsIn(loaded)}
            loading={loaded.state === 'loading'}
            kept={kept}
            onKeep={onKeep}
          />
        )}
      </>
    )
  }
  // What edited code changes is known once it ran.
  if (!isEdit && (draft !== null || findToolFacts(request.name).effect !== 'overlay')) return null
  return <WouldChange request={edited === null ? request : { ...request, args: edited }} loaded={loaded} />
}

/** The arguments as a person edited them, a moment after the last key. While a text is not valid, the last valid ones. */
function useEdited(request: ActionRequest, draft: Draft | null): JsonObject | null {
  const text = draft === null || draft.text === draftOf(request).text ? null : draft.text
  const settled = useDebounced(text, text === null ? 0 : typingPause)
  const args =
    draft === null || text === null || settled === null ? null : argumentsIn(request, { ...draft, text: settled })
  const last = useRef(args)
  if (args !== null || text === null) last.current = args
  return last.current
}

function useChange(interrupt: Interrupt, request: ActionRequest, isStored: boolean, edited: JsonObject | null) {
  const projectId = useProjectId()
  const { id, threadId } = interrupt
  // What was tried is stored and stays. Everything else depends on the branch as it is now.
  const version = useApp((state) => (isStored ? id : (threadOf(state, threadId)?.lastSequence ?? 0)))
  const asks =
    isStored && wasTried(request)
      ? changedFiles(request.effects).length > 0
      : findToolFacts(request.name).effect === 'overlay'
  const input = { projectId, threadId, callId: request.callId, ...(edited !== null && { args: edited }) }
  return useQuery('approvals.preview', asks ? input : null, version)
}

function diffsIn({ value }: Loaded<CallPreviewView>): readonly FileDiff[] {
  return value?.kind === 'files' ? value.files : []
}

const kinds: Readonly<Record<string, ChangedFile['kind']>> = { delete: 'deleted', rename: 'renamed' }

/** What a call would change that did not run. */
function WouldChange({ request, loaded }: { request: ActionRequest; loaded: Loaded<CallPreviewView> }): ReactNode {
  const isEdit = editsFiles(request)
  if (loaded.state === 'loading' && !loaded.value) return <p className="text-muted">{labels.comparing}</p>
  const all = isEdit ? <Arguments entries={Object.entries(request.args)} /> : null
  if (loaded.value?.kind !== 'files') return all
  const { files, more, foldersOnly, problem } = loaded.value
  if (problem !== null)
    return (
      <>
        <p className="text-warn">{labels.wouldFail}</p>
        <pre {...reachable} className="max-h-40 overflow-auto whitespace-pre-wrap font-mono text-xs">
          <VisibleText text={problem} />
        </pre>
        {all}
      </>
    )
  if (files.length === 0)
    return (
      <>
        {all}
        <p className="text-muted">{foldersOnly ? labels.wouldChangeFolders : labels.wouldChangeNothing}</p>
      </>
    )
  return (
    <>
      {!isEdit && <p className="text-muted">{labels.wouldChange}</p>}
      <FileList
        title={null}
        files={files.map(({ path, change: { kind, from = null } }) => ({ path, from, kind: kinds[kind] ?? 'written' }))}
        diffs={files}
      />
      {more > 0 && <p className="text-muted">{labels.moreFiles(more)}</p>}
    </>
  )
}

interface FileListProps {
  /** What happened to the files, in a few words. It stands above several files. */
  readonly title: string | null
  readonly files: readonly ChangedFile[]
  readonly diffs: readonly FileDiff[]
  readonly loading?: boolean
  readonly kept?: readonly string[] | null
  readonly onKeep?: ((kept: readonly string[]) => void) | undefined
}

/** The changed files, each with its comparison. A small change is open, and so is that of a single file. */
function FileList({ title, files, diffs, loading = false, kept = null, onKeep }: FileListProps): ReactNode {
  const [all, setAll] = useState(false)
  const opens = files.length === 1 || (files.length <= 3 && linesOf(diffs) <= fewLines)
  const listed = all ? files : files.slice(0, listedAtFirst)
  const toggle = (path: VirtualPath): void =>
    onKeep?.(kept?.includes(path) ? kept.filter((one) => one !== path) : [...(kept ?? []), path])
  return (
    <section aria-label={labels.files} className="overflow-hidden rounded-md border border-line">
      {title !== null && files.length > 1 && (
        <p className="border-line border-b px-2 py-1 text-muted text-xs tabular-nums">{title}</p>
      )}
      <ul className="divide-y divide-line">
        {listed.map((file) => (
          <ChangedFileRow
            key={file.path}
            file={file}
            diff={diffs.find(({ path, change }) => path === file.path || change.from === file.path) ?? null}
            loading={loading}
            opens={opens}
            chosen={kept?.includes(file.path) ?? null}
            onToggle={() => toggle(file.path)}
          />
        ))}
      </ul>
      {files.length > listed.length && (
        <Button tone="quiet" onClick={() => setAll(true)}>
          {labels.allFiles(files.length)}
        </Button>
      )}
    </section>
  )
}

function linesOf(diffs: readonly FileDiff[]): number {
  return diffs.reduce((sum, { hunks }) => sum + hunks.reduce((lines, hunk) => lines + hunk.lines.length, 0), 0)
}
