import { FolderInput, FolderOutput, Plus, Search } from 'lucide-react'
import type { ReactNode } from 'react'
import { useUpdateUi } from '../state/hooks/hooks.tsx'
import { type MemoryScope, showMemory } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Select, TextInput } from '../ui/controls/field.tsx'
import { type MemoryFilter, memoryFilters } from './memory-list.ts'
import type { TransferKind } from './memory-transfer.tsx'

const labels = strings.memory

interface MemoryToolbarProps {
  readonly scope: MemoryScope
  readonly query: string
  readonly filter: MemoryFilter
  readonly onQuery: (query: string) => void
  readonly onFilter: (filter: MemoryFilter) => void
  /** Absent where nothing is imported or exported. */
  readonly onTransfer?: (kind: TransferKind) => void
}

export function MemoryToolbar({ scope, query, filter, onQuery, onFilter, onTransfer }: MemoryToolbarProps): ReactNode {
  const own = labels.scopes[scope]
  const updateUi = useUpdateUi()
  return (
    <>
      <div className="flex flex-wrap items-center gap-2">
        <search className="relative min-w-40 flex-1">
          <Search size={13} aria-hidden className="absolute top-[9px] left-2.5 text-faint" />
          <TextInput
            type="search"
            aria-label={own.search}
            placeholder={own.search}
            value={query}
            onChange={(event) => onQuery(event.target.value)}
            className="pl-8"
          />
        </search>
        <Button
          tone={scope === 'project' ? 'primary' : 'plain'}
          aria-label={own.newLabel}
          className="h-8"
          icon={<Plus size={14} aria-hidden />}
          onClick={() => updateUi((ui) => showMemory(ui, '', scope))}
        >
          {own.new}
        </Button>
      </div>
      <div className="-mt-2 flex flex-wrap items-center gap-2">
        <Select
          aria-label={own.filter}
          value={filter}
          onChange={(event) => onFilter(memoryFilters.find((one) => one === event.target.value) ?? 'all')}
          className="mr-auto w-auto!"
        >
          {memoryFilters.map((one) => (
            <option key={one} value={one}>
              {labels.filters[one]}
            </option>
          ))}
        </Select>
        {onTransfer && (
          <>
            <Button icon={<FolderInput size={14} aria-hidden />} className="h-8" onClick={() => onTransfer('import')}>
              {labels.transfer.import}
            </Button>
            <Button icon={<FolderOutput size={14} aria-hidden />} className="h-8" onClick={() => onTransfer('export')}>
              {labels.transfer.export}
            </Button>
          </>
        )}
      </div>
    </>
  )
}
