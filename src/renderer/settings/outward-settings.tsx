import { Send } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { NotifyTest } from '#shared/contract/views/settings.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { outwardStrings as labels } from '../strings/later/outward.ts'
import { Button } from '../ui/controls/button.tsx'
import { SavedField, Switch } from './fields.tsx'
import { linesOf, notifyFrom, notifyText } from './outward-text.ts'
import type { SectionProps } from './section-props.ts'

/** What happens while the person is away from the desk. */
export function AwaySettings({ settings: { outward, spans }, change }: SectionProps): ReactNode {
  const client = useClient()
  const testing = useCommand()
  const [test, setTest] = useState<NotifyTest | null>(null)
  const { notify } = outward
  return (
    <>
      <div className="divide-y divide-line rounded-lg border border-line">
        <Switch
          label={labels.keepAwake}
          hint={labels.keepAwakeHint}
          on={outward.keepAwake}
          onChange={(keepAwake) => void change({ outward: { keepAwake } })}
        />
      </div>
      <SavedField
        long
        label={labels.notify}
        hint={labels.notifyHint}
        value={notifyText(notify)}
        onSave={(text) => {
          setTest(null)
          void change({ outward: { notify: notifyFrom(text) } })
        }}
      />
      {notify && (
        <div className="flex flex-wrap items-center gap-3">
          <Button
            icon={<Send size={14} aria-hidden />}
            disabled={testing.busy}
            onClick={() => void testing.run(async () => setTest(await client.settings.testNotify(notify)))}
          >
            {labels.test}
          </Button>
          <p role="status" className={test?.ok === false ? 'text-bad' : 'text-muted'}>
            {test?.message}
          </p>
        </div>
      )}
      {testing.refusal && <RefusalNotice refusal={testing.refusal} />}
      {spans && <p className="text-muted text-sm">{labels.spans(spans.host, spans.content)}</p>}
    </>
  )
}

/** Which pages agents may read. */
export function WebSettings({ settings: { outward }, change }: SectionProps): ReactNode {
  return (
    <>
      <div className="divide-y divide-line rounded-lg border border-line">
        <Switch
          label={labels.fetch}
          hint={labels.fetchHint}
          on={outward.fetchesPages}
          onChange={(fetchesPages) => void change({ outward: { fetchesPages } })}
        />
      </div>
      {outward.fetchesPages && (
        <SavedField
          long
          label={labels.privateHosts}
          hint={labels.privateHostsHint}
          value={outward.privateHosts.join('\n')}
          onSave={(text) => void change({ outward: { privateHosts: linesOf(text) } })}
        />
      )}
    </>
  )
}
