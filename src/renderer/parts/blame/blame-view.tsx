import { type ReactNode, useState } from 'react'
import { Virtuoso } from 'react-virtuoso'
import type { FileBlame, LineSource } from '#shared/contract/views/files.ts'
import type { BranchId } from '#shared/model/ids.ts'
import type { VirtualPath } from '#shared/model/virtual-path.ts'
import { useApp } from '../../state/hooks/hooks.tsx'
import { hueOf } from '../../state/store/agent-hues.ts'
import { blameStrings as labels } from '../../strings/later/blame.ts'
import { strings } from '../../strings/strings.ts'
import { VisibleText } from '../../ui/controls/visible-text.tsx'
import { classNames } from '../../ui/react/class-names.ts'
import { AgentMark, agentStyle } from '../agents/agent-mark.tsx'
import { RefusalNotice } from '../refusal-notice.tsx'
import { Waiting } from '../waiting.tsx'
import { LineSourceView } from './line-source.tsx'
import { useBlame } from './use-blame.ts'

interface BlameViewProps {
  readonly branchId: BranchId
  readonly path: VirtualPath
}

/** A file with who wrote each line beside it. A line says more when it is chosen. */
export function BlameView({ branchId, path }: BlameViewProps): ReactNode {
  const [blame, reload] = useBlame(branchId, path)
  if (blame.state === 'failed')
    return (
      <div className="p-3">
        <RefusalNotice refusal={blame.refusal} onRetry={reload} />
      </div>
    )
  if (!blame.value) return <Waiting label={strings.common.loading} />
  return <BlamedFile key={path} path={path} blame={blame.value} />
}

function BlamedFile({ path, blame: { lines, sources } }: { path: VirtualPath; blame: FileBlame }): ReactNode {
  const [chosen, setChosen] = useState<number | null>(null)
  const sourceAt = (index: number): LineSource | null => {
    const place = lines[index]?.source ?? null
    return place === null ? null : (sources[place] ?? null)
  }
  const chosenSource = chosen === null ? undefined : sourceAt(chosen)
  return (
    <section aria-label={labels.linesOf(path)} className="flex h-full min-h-0 flex-col">
      <Virtuoso
        className="min-h-0 flex-1"
        totalCount={lines.length}
        itemContent={(index) => (
          <BlamedLine
            index={index}
            text={lines[index]?.text ?? ''}
            source={sourceAt(index)}
            isFirst={index === 0 || lines[index - 1]?.source !== lines[index]?.source}
            isChosen={index === chosen}
            isOfChosen={chosen !== null && lines[chosen]?.source === lines[index]?.source}
            onChoose={() => setChosen(index)}
          />
        )}
      />
      {chosenSource !== undefined && (
        <div className="max-h-48 shrink-0 overflow-auto border-line border-t bg-panel px-3 py-2">
          <LineSourceView source={chosenSource} />
        </div>
      )}
    </section>
  )
}

interface BlamedLineProps {
  readonly index: number
  readonly text: string
  readonly source: LineSource | null
  /** True for the first line of several with the same source, which says it. */
  readonly isFirst: boolean
  readonly isChosen: boolean
  /** Whether the chosen line has the same source. */
  readonly isOfChosen: boolean
  readonly onChoose: () => void
}

function BlamedLine({ index, text, source, isFirst, isChosen, isOfChosen, onChoose }: BlamedLineProps): ReactNode {
  const author = source === null ? '' : source.how === 'call' ? source.agent : labels.how[source.how]
  const hue = useApp((state) => (source?.how === 'call' ? hueOf(state, source.agent) : null))
  return (
    <button
      type="button"
      aria-pressed={isChosen}
      aria-label={`${index + 1}: ${text.trimEnd()} – ${author || labels.folderShort}`}
      onClick={onChoose}
      style={agentStyle(hue)}
      className={classNames(
        'flex min-h-5 w-full items-center font-mono text-xs leading-5 hover:bg-hover',
        isOfChosen && 'bg-accent-soft',
      )}
    >
      <span
        className={classNames(
          'flex w-44 shrink-0 items-center gap-1.5 self-stretch overflow-hidden border-l-2 pl-2 font-sans text-muted max-md:w-24',
          source === null ? 'border-transparent' : 'border-(--agent)',
        )}
      >
        {isFirst && source !== null && (
          <>
            {source.how === 'call' && <AgentMark name={author} />}
            <span className="truncate">
              <VisibleText text={author} />
            </span>
          </>
        )}
      </span>
      <span className="w-10 shrink-0 select-none pr-2 text-right text-faint tabular-nums">{index + 1}</span>
      <span className="min-w-0 flex-1 whitespace-pre-wrap text-left [overflow-wrap:anywhere]">
        <VisibleText text={text.replace(/\r?\n$/, '')} />
      </span>
    </button>
  )
}
