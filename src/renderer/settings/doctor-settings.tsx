import { CircleAlert, CircleCheck, CircleDashed, Copy, Stethoscope } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { Examination } from '#shared/contract/views/app.ts'
import { copyText } from '../parts/copy-text.ts'
import { RefusalNotice } from '../parts/refusal-notice.tsx'
import { useClient, useCommand } from '../state/hooks/hooks.tsx'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.doctor

/** Runs the checks of `coppice doctor` and shows each result as it arrives. */
export function DoctorSettings(): ReactNode {
  const client = useClient()
  const examining = useCommand()
  const [found, setFound] = useState<readonly Examination[]>([])
  async function run(): Promise<void> {
    setFound([])
    await examining.run(async () => {
      for await (const one of await client.app.examine()) setFound((before) => [...before, one])
    })
  }
  const copy = (): void => copyText(asText(found))
  const ended = found.length > 0 && !examining.busy
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      <div className="flex flex-wrap items-center gap-3">
        <Button
          tone="primary"
          icon={<Stethoscope size={14} aria-hidden />}
          disabled={examining.busy}
          onClick={() => void run()}
        >
          {ended ? labels.again : labels.run}
        </Button>
        {ended && (
          <Button icon={<Copy size={14} aria-hidden />} onClick={copy}>
            {labels.copy}
          </Button>
        )}
        <p role="status">{summary(found, examining.busy)}</p>
      </div>
      {examining.refusal && <RefusalNotice refusal={examining.refusal} />}
      {found.length > 0 && (
        <ul aria-label={labels.result} className="divide-y divide-line rounded-lg border border-line">
          {found.map((one) => (
            <Part key={one.name} {...one} />
          ))}
        </ul>
      )}
    </>
  )
}

function summary(found: readonly Examination[], busy: boolean): string {
  if (busy) return labels.running(found.length)
  if (found.length === 0) return ''
  const broken = found.filter(({ state }) => state === 'broken').length
  return broken === 0 ? labels.done : labels.broken(broken)
}

const appearances = {
  ok: { Icon: CircleCheck, colour: 'text-good' },
  optional: { Icon: CircleDashed, colour: 'text-warn' },
  broken: { Icon: CircleAlert, colour: 'text-bad' },
} as const

function Part({ name, state, detail }: Examination): ReactNode {
  const { Icon, colour } = appearances[state]
  return (
    <li className="grid grid-cols-[minmax(6rem,auto)_1fr] gap-x-3 px-3 py-1.5 sm:grid-cols-[8rem_6rem_1fr]">
      <span className="font-medium">{name}</span>
      <span className={`flex items-center gap-1 ${colour}`}>
        <Icon size={14} aria-hidden className="shrink-0" />
        {labels.states[state]}
      </span>
      <span className="min-w-0 text-muted [overflow-wrap:anywhere] max-sm:col-span-2">
        <VisibleText text={detail} />
      </span>
    </li>
  )
}

function asText(found: readonly Examination[]): string {
  return found.map(({ name, state, detail }) => `${labels.states[state]}\t${name}\t${detail}`).join('\n')
}
