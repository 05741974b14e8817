import { lazy, type ReactNode, Suspense, useState } from 'react'
import type { ConflictSides } from '#shared/contract/views.ts'
import type { Branch } from '#shared/model/branch.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useClient, useLoaded, useProjectId } from '../state/hooks.tsx'
import { RefusalNotice } from '../state/refusal-notice.tsx'
import { strings } from '../state/strings.ts'
import { Button } from '../ui/button.tsx'
import { TextArea } from '../ui/field.tsx'
import { Notice } from '../ui/notice.tsx'
import { reachable } from '../ui/reachable.ts'
import { VisibleText } from '../ui/visible-text-view.tsx'
import { joinBoth } from './conflict-text.ts'
import type { BranchActs } from './use-branch-acts.ts'

const words = strings.branches
const CodeEditor = lazy(async () => ({ default: (await import('../ui/code-editor.tsx')).CodeEditor }))

export interface ConflictViewProps {
  readonly branch: Branch
  readonly path: VirtualPath
  readonly acts: BranchActs
  readonly onDone: () => void
}

/** Base and both sides of one file, and an editable result that starts from one of them. */
export function ConflictView({ branch, path, acts, onDone }: ConflictViewProps): ReactNode {
  const client = useClient()
  const projectId = useProjectId()
  const [sides, reload] = useLoaded(`${branch.id} ${path}`, () =>
    client.branches.conflict({ projectId, branchId: branch.id, path }),
  )
  if (sides.state === 'failed') return <RefusalNotice refusal={sides.refusal} onRetry={reload} />
  if (!sides.value) return <p className="p-3 text-muted">{strings.common.loading}</p>
  return <Sides branch={branch} sides={sides.value} acts={acts} onDone={onDone} />
}

interface SidesProps {
  readonly branch: Branch
  readonly sides: ConflictSides
  readonly acts: BranchActs
  readonly onDone: () => void
}

function Sides({ branch, sides, acts, onDone }: SidesProps): ReactNode {
  const { path, conflict, base, ours, theirs } = sides
  const [result, setResult] = useState(ours ?? theirs ?? '')
  const isText = ours !== null || theirs !== null
  async function save(): Promise<void> {
    if (await acts.resolve(path, result)) onDone()
  }
  return (
    <section aria-label={words.conflictTitle(path)} className="flex flex-col gap-2 border-line border-b p-3">
      <Notice
        tone="warning"
        title={words.conflictTitle(path)}
        {...(conflict && { detail: words.reasons[conflict.reason] })}
      />
      <div className="grid gap-2 md:grid-cols-3">
        <Side label={words.base} text={base} />
        <Side label={words.ours} text={ours} />
        <Side label={words.theirs(branch.name)} text={theirs} />
      </div>
      {isText && (
        <>
          <div className="flex flex-wrap items-center gap-2">
            <Button disabled={ours === null} aria-pressed={result === ours} onClick={() => setResult(ours ?? '')}>
              {words.takeOurs}
            </Button>
            <Button disabled={theirs === null} aria-pressed={result === theirs} onClick={() => setResult(theirs ?? '')}>
              {words.takeTheirs}
            </Button>
            <Button
              disabled={ours === null || theirs === null}
              onClick={() => setResult(joinBoth(base ?? '', ours ?? '', theirs ?? ''))}
            >
              {words.takeBoth}
            </Button>
            <span className="text-muted">{words.resultHint}</span>
            <Button tone="primary" className="ml-auto" disabled={acts.command.busy} onClick={() => void save()}>
              {words.saveResult}
            </Button>
          </div>
          <div className="max-h-80 overflow-auto rounded-md border border-line">
            <Suspense
              fallback={
                <TextArea
                  aria-label={words.result}
                  rows={8}
                  value={result}
                  onChange={(event) => setResult(event.target.value)}
                />
              }
            >
              <CodeEditor label={words.result} path={path} value={result} onChange={setResult} />
            </Suspense>
          </div>
        </>
      )}
    </section>
  )
}

function Side({ label, text }: { label: string; text: string | null }): ReactNode {
  return (
    <figure className="min-w-0 rounded-md border border-line">
      <figcaption className="border-line border-b bg-panel px-2 py-1 font-medium">{label}</figcaption>
      {text === null ? (
        <p className="px-2 py-1 text-muted">{words.absent}</p>
      ) : (
        <section {...reachable} aria-label={label} className="max-h-56 overflow-auto px-2 py-1">
          <pre className="font-mono text-xs">
            <VisibleText text={text} />
          </pre>
        </section>
      )}
    </figure>
  )
}
