import { CircleCheck, GitPullRequest, Upload } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { shellWord } from '#shared/text/control-characters.ts'
import { CommandToCopy } from '../../parts/command-to-copy.tsx'
import { useOpenLink } from '../../parts/use-open-link.ts'
import { Waiting } from '../../parts/waiting.tsx'
import { deliveryStrings as labels } from '../../strings/later/delivery.ts'
import { Button } from '../../ui/controls/button.tsx'
import { Field, TextArea, TextInput } from '../../ui/controls/field.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { ProgramOutput } from './program-output.tsx'
import type { Deliver } from './use-delivery.ts'

interface ReceiptProps {
  readonly deliver: Deliver
  /** Of the thread. */
  readonly title: string
}

/** What was made, and what a person may do with it next. */
export function DeliveryReceiptView({ deliver, title }: ReceiptProps): ReactNode {
  const { receipts, published, making, messages } = deliver
  const [branch = ''] = receipts.map((receipt) => receipt.branch)
  const [isAsking, setAsking] = useState(false)
  const count = receipts.reduce((sum, { commits }) => sum + commits.length, 0)
  const wasSent = published !== null && published.problem === null
  return (
    <>
      <p role="status" className="flex items-center gap-2 font-medium text-good">
        <CircleCheck size={16} aria-hidden />
        {labels.made(branch, count, receipts.length)}
      </p>
      <CommandToCopy command={`git switch ${shellWord(branch)}`} about={labels.switchTo} />
      {!wasSent && (
        <div className="flex flex-wrap gap-2">
          <Button
            icon={<Upload size={14} aria-hidden />}
            disabled={making.busy}
            onClick={() => void deliver.publish(null)}
          >
            {labels.push}
          </Button>
          <Button
            icon={<GitPullRequest size={14} aria-hidden />}
            aria-expanded={isAsking}
            disabled={making.busy}
            onClick={() => setAsking(!isAsking)}
          >
            {labels.pullRequest}
          </Button>
        </div>
      )}
      {isAsking && !wasSent && <RequestForm deliver={deliver} title={messages[0]?.split('\n')[0] ?? title} />}
      {deliver.stopPush !== null && (
        <div className="flex flex-wrap items-center gap-2">
          <Waiting label={labels.pushing} />
          <Button onClick={deliver.stopPush}>{labels.stop}</Button>
        </div>
      )}
      <Sent deliver={deliver} />
      <ProgramOutput label={labels.output} output={deliver.pushOutput} />
    </>
  )
}

function Sent({ deliver: { published } }: { readonly deliver: Deliver }): ReactNode {
  const openLink = useOpenLink()
  if (published === null) return null
  const { problem, remote, pullRequest } = published
  return (
    <>
      {problem === null ? (
        <p role="status" className="flex items-center gap-2 text-good">
          <CircleCheck size={14} aria-hidden />
          {labels.pushed(remote)}
        </p>
      ) : (
        <Notice tone="error" title={problem} />
      )}
      {pullRequest !== null && (
        <Button tone="quiet" className="self-start" onClick={() => openLink(pullRequest)}>
          <VisibleText text={pullRequest} />
        </Button>
      )}
    </>
  )
}

function RequestForm({ deliver, title }: ReceiptProps): ReactNode {
  const [text, setText] = useState({ title, body: '', draft: false })
  return (
    <form
      className="flex flex-col gap-2 rounded-md border border-line p-3"
      onSubmit={(event) => {
        event.preventDefault()
        void deliver.publish(text)
      }}
    >
      <Field label={labels.requestTitle}>
        {(id) => (
          <TextInput
            id={id}
            required
            value={text.title}
            onChange={({ target }) => setText({ ...text, title: target.value })}
          />
        )}
      </Field>
      <Field label={labels.requestBody}>
        {(id) => (
          <TextArea
            id={id}
            rows={4}
            value={text.body}
            onChange={({ target }) => setText({ ...text, body: target.value })}
          />
        )}
      </Field>
      <label className="flex items-center gap-2">
        <input
          type="checkbox"
          checked={text.draft}
          onChange={({ target }) => setText({ ...text, draft: target.checked })}
          className="size-4 accent-accent-solid"
        />
        {labels.draft}
      </label>
      <Button type="submit" tone="primary" className="self-start" disabled={deliver.making.busy}>
        {labels.pullRequest}
      </Button>
    </form>
  )
}
