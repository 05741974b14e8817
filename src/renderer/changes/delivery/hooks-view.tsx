import { CircleCheck } from 'lucide-react'
import type { ReactNode } from 'react'
import type { HooksRun } from '#shared/contract/views/deliveries.ts'
import { RefusalNotice } from '../../parts/refusal-notice.tsx'
import { Waiting } from '../../parts/waiting.tsx'
import { deliveryStrings as labels } from '../../strings/later/delivery.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { PathText } from '../../ui/controls/path-text.tsx'
import { LineCounts } from '../../ui/diff/diff-parts.tsx'
import { ProgramOutput } from './program-output.tsx'
import type { Deliver } from './use-delivery.ts'

/** What the hooks of the repository print and say, and the files that they change. */
export function HooksView({ deliver }: { readonly deliver: Deliver }): ReactNode {
  const { isOn, running, stop, output, run } = deliver.hooks
  if (!isOn) return null
  return (
    <>
      {running.refusal && <RefusalNotice refusal={running.refusal} />}
      {stop && (
        <div className="flex flex-wrap items-center gap-2">
          <Waiting label={labels.runningHooks} />
          <Button onClick={stop}>{labels.stopHooks}</Button>
        </div>
      )}
      {run && <Said run={run} />}
      {run && run.files.length > 0 && <Changed deliver={deliver} run={run} />}
      <ProgramOutput label={labels.hooksOutput} output={output} />
    </>
  )
}

function Said({ run: { problem, notes, repositories } }: { readonly run: HooksRun }): ReactNode {
  const ran = [...new Set(repositories.flatMap((one) => one.ran))]
  return (
    <>
      {problem !== null && <Notice tone="error" title={problem} detail={labels.hooksRefused} />}
      {problem === null && ran.length > 0 && (
        <p role="status" className="flex items-center gap-2 text-good">
          <CircleCheck size={14} aria-hidden />
          {labels.hooksPassed(ran)}
        </p>
      )}
      {notes.map((note) => (
        <Notice key={note} tone="info" title={note} />
      ))}
    </>
  )
}

/** Files that are named. */
const mostShown = 200

function Changed({ deliver, run }: { readonly deliver: Deliver; readonly run: HooksRun }): ReactNode {
  const { making } = deliver
  const passed = run.problem === null
  return (
    <section aria-label={labels.hooksFiles} className="rounded-md border border-line px-3 py-2">
      <h3 className="font-medium">{labels.hooksChanged(run.files.length)}</h3>
      <ul className="mt-1 max-h-[24vh] overflow-auto">
        {run.files.slice(0, mostShown).map(({ path, added, removed }) => (
          <li key={path} className="flex min-h-7 items-center gap-2">
            <PathText path={path} className="flex-1" />
            <LineCounts added={added} removed={removed} />
          </li>
        ))}
        {run.files.length > mostShown && (
          <li className="text-muted">{labels.hooksMore(run.files.length - mostShown)}</li>
        )}
      </ul>
      <div className="mt-2 flex flex-wrap gap-2">
        <Button tone="primary" disabled={making.busy} onClick={() => void deliver.decideHooks(true)}>
          {passed ? labels.takeHooks : labels.takeRefused}
        </Button>
        {passed && (
          <Button disabled={making.busy} onClick={() => void deliver.decideHooks(false)}>
            {labels.leaveHooks}
          </Button>
        )}
      </div>
    </section>
  )
}
