import { type ReactNode, useState } from 'react'
import type { FileBlame, LineSource } from '#shared/contract/views/files.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { blameStrings as labels } from '../../strings/later/blame.ts'
import { strings } from '../../strings/strings.ts'
import { Button } from '../../ui/controls/button.tsx'
import type { LineRange } from '../../ui/diff/line-range.ts'
import { RefusalNotice } from '../refusal-notice.tsx'
import { Waiting } from '../waiting.tsx'
import { LineSourceView } from './line-source.tsx'
import { useBlame } from './use-blame.ts'

interface WhyLinesProps {
  readonly branchId: BranchId
  readonly path: VirtualPath
  /** Lines of the file as the branch has it. */
  readonly range: LineRange
}

/** *Why is this line here?* about some lines. Nothing is asked before it is pressed. */
export function WhyLines({ branchId, path, range }: WhyLinesProps): ReactNode {
  const [isOpen, setOpen] = useState(false)
  return (
    <div className="flex min-w-0 flex-col gap-2">
      <Button tone="quiet" aria-expanded={isOpen} className="self-start" onClick={() => setOpen(!isOpen)}>
        {strings.files.why}
      </Button>
      {isOpen && <Sources branchId={branchId} path={path} range={range} />}
    </div>
  )
}

function Sources({ branchId, path, range }: WhyLinesProps): ReactNode {
  const [blame, reload] = useBlame(branchId, path)
  if (blame.state === 'failed') return <RefusalNotice refusal={blame.refusal} onRetry={reload} />
  if (!blame.value) return <Waiting label={strings.common.loading} />
  const sources = sourcesIn(blame.value, range)
  if (sources.length === 0) return <p className="text-muted">{labels.none}</p>
  return (
    <ul className="flex flex-col gap-2 border-line border-t pt-2">
      {sources.map((source) => (
        <li key={source?.sequence ?? 'folder'}>
          <LineSourceView source={source} />
        </li>
      ))}
    </ul>
  )
}

/** Each source of these lines once, in the order of the lines. */
function sourcesIn({ lines, sources }: FileBlame, { from, to }: LineRange): readonly (LineSource | null)[] {
  const places = new Set(lines.slice(from - 1, to).map(({ source }) => source))
  return [...places].map((place) => (place === null ? null : (sources[place] ?? null)))
}
