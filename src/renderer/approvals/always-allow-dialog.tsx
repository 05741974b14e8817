import { type ReactNode, useState } from 'react'
import type { RuleProposals } from '#shared/contract/views/settings.ts'
import type { ActionRequest } from '#shared/model/calls/interrupt.ts'
import type { ThreadId } from '#shared/model/ids.ts'
import { buttonsOf, judgesEffects } from '#shared/tools/card-words.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand, useProjectId } from '../state/hooks/hooks.tsx'
import { useQuery } from '../state/hooks/use-query.ts'
import { cardStrings } from '../strings/later/card.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Dialog } from '../ui/controls/dialog.tsx'
import { Field, TextArea } from '../ui/controls/field.tsx'
import { Empty, Notice } from '../ui/controls/notice.tsx'
import { visibleText } from '../ui/controls/split-visible.ts'
import { VisibleText } from '../ui/controls/visible-text.tsx'
import { explainRule } from './explain-rule.ts'

const labels = cardStrings.allow

interface AlwaysAllowProps {
  readonly threadId: ThreadId
  readonly request: ActionRequest
  readonly onClose: () => void
  readonly onAllowed: () => void
}

/**
 * Proposes rules that would have allowed a call. The person chooses and edits them, and sees what they would have
 * matched.
 */
export function AlwaysAllowDialog({ threadId, request, onClose, onAllowed }: AlwaysAllowProps): ReactNode {
  const { title, noneDetail } = judgesEffects(request) ? cardStrings.allowEffects : labels
  const projectId = useProjectId()
  const { callId } = request
  const [loaded, reload] = useQuery('approvals.proposeRules', { projectId, threadId, callId })
  if (loaded.value && loaded.value.proposals.length > 0) {
    return <ChooseRules found={loaded.value} request={request} onClose={onClose} onAllowed={onAllowed} />
  }
  return (
    <Dialog title={title} closeLabel={labels.cancel} onClose={onClose}>
      {loaded.state === 'failed' && <RefusalNotice refusal={loaded.refusal} onRetry={reload} />}
      {loaded.state === 'loading' && <p className="text-muted">{strings.common.loading}</p>}
      {loaded.state === 'ready' && <Empty title={labels.none} detail={noneDetail} />}
    </Dialog>
  )
}

interface ChooseRulesProps extends Pick<AlwaysAllowProps, 'request' | 'onClose' | 'onAllowed'> {
  readonly found: RuleProposals
}

function ChooseRules({ found: { proposals, note }, request, onClose, onAllowed }: ChooseRulesProps): ReactNode {
  const { scripts = [] } = request
  const aboutEffects = judgesEffects(request)
  const said = aboutEffects ? cardStrings.allowEffects : labels
  const client = useClient()
  const saving = useCommand()
  const [text, setText] = useState(() => proposals[0]?.join('\n') ?? '')
  const rules = linesOf(text)
  const allow = async (): Promise<void> => {
    const saved = await saving.run(() => client.settings.changeRules({ effect: 'allow', add: [...rules] }))
    if (saved) onAllowed()
  }
  return (
    <Dialog
      title={said.title}
      description={said.about}
      closeLabel={labels.cancel}
      onClose={onClose}
      footer={
        <>
          <Button onClick={onClose}>{labels.cancel}</Button>
          <Button tone="primary" disabled={rules.length === 0 || saving.busy} onClick={() => void allow()}>
            {said.confirm(buttonsOf(request, false).approve)}
          </Button>
        </>
      }
    >
      <div className="flex flex-col gap-4">
        {note !== null && <Notice tone="warning" title={note} />}
        {scripts.length > 0 && <Notice tone="warning" title={labels.scripts(visibleText(namedFiles(scripts)))} />}
        {saving.refusal && <RefusalNotice refusal={saving.refusal} />}
        {proposals.length > 1 && (
          <fieldset className="flex flex-wrap gap-x-4 gap-y-1">
            <legend className="mb-1 font-medium">{labels.scope}</legend>
            {proposals.map((proposal, index) => (
              <label key={proposal.join('\n')} className="flex min-h-6 cursor-pointer items-center gap-2">
                <input
                  type="radio"
                  name="scope"
                  checked={proposal.join('\n') === text}
                  onChange={() => setText(proposal.join('\n'))}
                  className="size-4 accent-accent-solid"
                />
                {aboutEffects ? (
                  <code className="font-mono text-xs">{proposal.join(', ')}</code>
                ) : index === 0 ? (
                  labels.exactly
                ) : (
                  labels.similar
                )}
              </label>
            ))}
          </fieldset>
        )}
        <Field label={labels.rules}>
          {(id) => (
            <TextArea
              id={id}
              value={text}
              rows={Math.max(2, rules.length)}
              onChange={(event) => setText(event.target.value)}
              className="font-mono text-xs"
            />
          )}
        </Field>
        <RuleMeanings rules={rules} />
        <RuleMatches rules={rules} />
      </div>
    </Dialog>
  )
}

function namedFiles(paths: readonly string[]): string {
  const more = paths.length > 3 ? ` and ${paths.length - 3} more` : ''
  return `${paths.slice(0, 3).join(', ')}${more}`
}

function linesOf(text: string): readonly string[] {
  return text
    .split('\n')
    .map((line) => line.trim())
    .filter(Boolean)
}

/** What the rules about effects mean, in words. Nothing for other rules. */
function RuleMeanings({ rules }: { rules: readonly string[] }): ReactNode {
  const meanings = rules.flatMap((rule) => explainRule(rule) ?? [])
  if (meanings.length === 0) return null
  return (
    <div className="text-muted">
      {meanings.map((meaning) => (
        <p key={meaning}>
          <VisibleText text={meaning} />
        </p>
      ))}
      <p>{cardStrings.allowEffects.noneDetail}</p>
    </div>
  )
}

/** Shows the earlier calls that the rules would have allowed, so that a person notices a pattern that is too wide. */
function RuleMatches({ rules }: { rules: readonly string[] }): ReactNode {
  const projectId = useProjectId()
  const [preview] = useQuery('approvals.previewRules', rules.length === 0 ? null : { projectId, rules: [...rules] })
  if (preview.state === 'failed') {
    return (
      <p role="alert" className="text-bad">
        {preview.refusal.message}
      </p>
    )
  }
  if (!preview.value) return null
  const { matched, of, examples } = preview.value
  return (
    <section aria-live="polite" className="flex flex-col gap-1">
      <p className="text-muted">{labels.preview(matched, of)}</p>
      <ul className="max-h-40 overflow-auto font-mono text-xs [overflow-wrap:anywhere]">
        {examples.map((example) => (
          <li key={example}>
            <VisibleText text={example} />
          </li>
        ))}
      </ul>
    </section>
  )
}
