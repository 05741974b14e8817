import { type ReactNode, useLayoutEffect, useRef } from 'react'
import type { ProcessView } from '#shared/model/process.ts'
import { formatBytes } from '#shared/text/format.ts'
import { useProjectId } from '../../state/hooks/hooks.tsx'
import { useQuery } from '../../state/hooks/use-query.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { AriaElement } from '../../ui/react/elements.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { Waiting } from '../waiting.tsx'

const labels = strings.processes
/** Bytes of the output's end that the pane shows. */
const shownBytes = 50_000

interface ProcessOutputViewProps {
  readonly process: ProcessView
  readonly name: string
}

/** The end of a process's output, which grows while the process runs. It stays at its end until the person scrolls up. */
export function ProcessOutputView({ process, name }: ProcessOutputViewProps): ReactNode {
  const projectId = useProjectId()
  const { threadId, id: processId, outputBytes, end } = process
  const input = { projectId, threadId, processId, bytes: shownBytes }
  const [output, reload] = useQuery('processes.output', input, `${outputBytes} ${end === null}`)
  const pane = useRef<HTMLDivElement>(null)
  const isAtEnd = useRef(true)
  const text = output.value?.text
  useLayoutEffect(() => {
    if (text !== undefined && isAtEnd.current) pane.current?.scrollTo({ top: pane.current.scrollHeight })
  }, [text])
  if (output.state === 'failed') return <RefusalNotice refusal={output.refusal} onRetry={reload} />
  if (!output.value) return <Waiting label={strings.common.loading} />
  const before = output.value.next - new TextEncoder().encode(output.value.text).length
  return (
    <AriaElement
      role="group"
      ref={pane}
      aria-label={labels.output(name)}
      tabIndex={0}
      onScroll={({ currentTarget: { scrollTop, scrollHeight, clientHeight } }) => {
        isAtEnd.current = scrollHeight - scrollTop - clientHeight < 24
      }}
      className="mx-1 mb-1 max-h-56 overflow-auto whitespace-pre-wrap break-all rounded-md border border-line bg-canvas p-2 font-mono text-xs"
    >
      {before > 0 && <span className="text-muted">{`${labels.dropped(formatBytes(before))}\n`}</span>}
      {output.value.text === '' ? (
        <span className="text-muted">{labels.noOutput}</span>
      ) : (
        <VisibleText text={output.value.text} />
      )}
    </AriaElement>
  )
}
