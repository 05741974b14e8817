import { CircleCheck, CircleSlash, GitCommitHorizontal, GitMerge, TriangleAlert } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { DeliveryPlan, DeliveryPlans } from '#shared/contract/views/deliveries.ts'
import type { DeliveryFile } from '#shared/model/delivery.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { deliveryStrings as labels } from '../../strings/later/delivery.ts'
import { Button } from '../../ui/controls/button.tsx'
import { TextArea } from '../../ui/controls/field.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { PathText } from '../../ui/controls/path-text.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import type { Deliver } from './use-delivery.ts'

interface PlanProps {
  readonly deliver: Deliver
  readonly plans: DeliveryPlans
}

/** What a delivery will do: where it goes, each commit with its message, and each file. */
export function DeliveryPlanView({ deliver, plans: { plans, ofAgents } }: PlanProps): ReactNode {
  const files = plans.flatMap((plan) => plan.files)
  const leftOut = plans.flatMap((plan) => plan.leftOut)
  const notes = plans.flatMap((plan) => plan.notes)
  return (
    <>
      <ul className="flex flex-col gap-0.5">
        {plans.map((plan) => (
          <li key={plan.repository} className="text-muted [overflow-wrap:anywhere]">
            <VisibleText text={placeOf(plan)} />
          </li>
        ))}
      </ul>
      {files.some(({ state }) => state === 'conflict') && <Notice tone="warning" title={labels.conflicts} />}
      {files.length === 0 && <Notice tone="info" title={labels.nothing} />}
      {notes.map((note) => (
        <Notice key={note} tone="info" title={note} />
      ))}
      <Messages deliver={deliver} plans={plans} />
      {files.length > 0 && <Files deliver={deliver} files={files} />}
      {leftOut.length > 0 && (
        <Notice
          tone="warning"
          title={labels.leftOut(leftOut.length)}
          detail={leftOut.map(({ path, why }) => `${path}: ${why}`).join('\n')}
        />
      )}
      {ofAgents.some(({ kind }) => kind === 'commit') && <CommitsOfAgents deliver={deliver} commits={ofAgents} />}
    </>
  )
}

const shownId = 10

function placeOf({ repository, branch, tip, base, author, signs }: DeliveryPlan): string {
  const where =
    tip === null ? labels.newBranch(branch, base.slice(0, shownId)) : labels.onBranch(branch, tip.slice(0, shownId))
  const inside = repository === '' ? '' : `${labels.inRepository(`/${repository}`)}: `
  return `${inside}${where}, ${labels.as(author, signs)}`
}

function Messages({
  deliver,
  plans,
}: {
  readonly deliver: Deliver
  readonly plans: readonly DeliveryPlan[]
}): ReactNode {
  const counts = plans.map(({ commits }) => commits).sort((a, b) => b.length - a.length)[0] ?? []
  if (deliver.messages.length === 0) return null
  const rows = deliver.messages.map((message, at) => ({ place: at + 1, message, files: counts[at]?.files ?? 0 }))
  return (
    <section aria-label={labels.commits} className="flex flex-col gap-1.5">
      <h3 className="font-medium">{labels.commits}</h3>
      <ol className="flex max-h-[30vh] flex-col gap-1.5 overflow-auto">
        {rows.map(({ place, message, files }) => (
          <li key={place} className="flex items-start gap-2">
            <GitCommitHorizontal size={16} aria-hidden className="mt-2 shrink-0 text-faint" />
            <TextArea
              aria-label={labels.message(place)}
              rows={1}
              className="max-h-40 [field-sizing:content]"
              value={message}
              onChange={({ target }) => deliver.rewrite(place - 1, target.value)}
            />
            <span className="mt-1.5 w-16 shrink-0 text-right text-muted text-xs tabular-nums">
              {labels.files(files)}
            </span>
          </li>
        ))}
      </ol>
      <ProposalRow proposal={deliver.proposal} />
    </section>
  )
}

/** Messages by a model, only on a press, because they cost something. */
function ProposalRow({ proposal }: { readonly proposal: Deliver['proposal'] }): ReactNode {
  const { asking, made, stop, propose, undo } = proposal
  return (
    <>
      {asking.refusal && <RefusalNotice refusal={asking.refusal} />}
      <div className="flex flex-wrap items-center gap-2">
        {stop ? (
          <Button onClick={stop}>{labels.stopProposing}</Button>
        ) : (
          <Button onClick={() => void propose()}>{labels.propose}</Button>
        )}
        {made && !stop && <Button onClick={undo}>{labels.undoProposal}</Button>}
        <p role="status" className="min-w-0 flex-1 text-muted text-xs">
          {stop && labels.proposing}
          {!stop && !made && labels.proposeHint}
          {!stop && made && <VisibleText text={labels.proposed(made.model, made.cost)} />}
        </p>
      </div>
    </>
  )
}

const looks = {
  ready: { Icon: CircleCheck, colour: 'text-good' },
  joined: { Icon: GitMerge, colour: 'text-good' },
  conflict: { Icon: TriangleAlert, colour: 'text-warn' },
  left: { Icon: CircleSlash, colour: 'text-muted' },
} as const

const order = { conflict: 0, left: 1, joined: 2, ready: 3 } as const
const rowHeight = 28

/** Those that need a decision come first, then those that are not delivered as they are. */
function Files({ deliver, files }: { readonly deliver: Deliver; readonly files: readonly DeliveryFile[] }): ReactNode {
  const [height, setHeight] = useState(files.length * rowHeight)
  const sorted = [...files].sort((a, b) => order[a.state] - order[b.state])
  return (
    <section aria-label={labels.fileList}>
      <h3 className="font-medium">
        {labels.fileList} <span className="font-normal text-muted tabular-nums">{files.length}</span>
      </h3>
      <Virtuoso
        style={{ height: `min(36vh, ${height}px)` }}
        data={sorted}
        totalListHeightChanged={setHeight}
        computeItemKey={(_, { path }) => path}
        itemContent={(_, file) => <FileRow deliver={deliver} file={file} />}
      />
    </section>
  )
}

function FileRow({ deliver, file }: { readonly deliver: Deliver; readonly file: DeliveryFile }): ReactNode {
  const { path, state, why } = file
  const { Icon, colour } = looks[state]
  const { keep } = deliver.choice
  const take = (side: 'ours' | 'theirs'): void =>
    deliver.choose({ keep: [...keep.filter((one) => one.path !== path), { path, side }] })
  return (
    <div className="flex min-h-7 flex-wrap items-center gap-x-2 gap-y-1 py-0.5 pr-1">
      <PathText path={path} className="flex-1" />
      <span className={`flex shrink-0 items-center gap-1 text-xs ${colour}`}>
        <Icon size={13} aria-hidden className="shrink-0" />
        {labels.states[state]}
      </span>
      {state === 'conflict' && (
        <span className="flex gap-2">
          <Button aria-label={labels.oursLabel(path)} onClick={() => take('ours')}>
            {labels.ours}
          </Button>
          <Button aria-label={labels.theirsLabel(path)} onClick={() => take('theirs')}>
            {labels.theirs}
          </Button>
        </span>
      )}
      {why && (
        <p className="basis-full text-muted text-xs">
          <VisibleText text={why} />
        </p>
      )}
    </div>
  )
}

function CommitsOfAgents({
  deliver,
  commits,
}: {
  readonly deliver: Deliver
  readonly commits: DeliveryPlans['ofAgents']
}): ReactNode {
  return (
    <section aria-label={labels.ofAgents} className="rounded-md border border-line px-3 py-2">
      <h3 className="font-medium">{labels.ofAgents}</h3>
      <p className="text-muted text-xs">{labels.ofAgentsHint}</p>
      <ul className="mt-1 max-h-[24vh] overflow-auto">
        {commits
          .filter(({ kind }) => kind === 'commit')
          .map(({ id, branch, subject }) => (
            <li key={id} className="flex min-h-8 flex-wrap items-center gap-2">
              <code className="text-muted text-xs">{id.slice(0, shownId)}</code>
              <span className="min-w-0 flex-1 truncate">
                <VisibleText text={subject} />
              </span>
              <span className="text-muted text-xs">
                <VisibleText text={branch} />
              </span>
              <Button
                aria-label={labels.deliverCommitLabel(subject)}
                disabled={deliver.making.busy}
                onClick={() => void deliver.makeFromAgents(id)}
              >
                {labels.deliverCommit}
              </Button>
            </li>
          ))}
      </ul>
    </section>
  )
}
