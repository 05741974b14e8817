import { Search } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { SettingsSection } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { TextInput } from '../ui/controls/field.tsx'
import { classNames } from '../ui/react/class-names.ts'
import { findSettings } from './settings-index.ts'

const labels = strings.settings

interface SettingsSearchProps {
  readonly section: SettingsSection
  /** `field` is the label of the chosen field; null for the section itself. */
  readonly onChoose: (section: SettingsSection, field: string | null) => void
}

/** All sections, or those that match the query with their matching fields. */
export function SettingsSearch({ section, onChoose }: SettingsSearchProps): ReactNode {
  const [query, setQuery] = useState('')
  const found = findSettings(query)
  const asked = query.trim() !== ''
  return (
    <>
      <search className="relative mx-1 mt-1 mb-2 block">
        <Search size={13} aria-hidden className="absolute top-2.5 left-2 text-faint" />
        <TextInput
          type="search"
          aria-label={labels.search}
          placeholder={labels.search}
          value={query}
          onChange={(event) => setQuery(event.target.value)}
          onKeyDown={(event) => event.key === 'Escape' && setQuery('')}
          className="pl-7"
        />
      </search>
      <p role="status" className="sr-only">
        {asked ? labels.found(found.length) : ''}
      </p>
      {found.length === 0 && <p className="px-2 text-muted">{labels.nothingFound}</p>}
      <ul className="flex flex-wrap md:flex-col">
        {found.map(({ section: id, fields }) => (
          <li key={id}>
            <Choice isSection isHere={id === section} label={labels.sections[id]} onChoose={() => onChoose(id, null)} />
            {asked &&
              fields.map(({ label }) => (
                <Choice key={label} isHere={false} label={label} onChoose={() => onChoose(id, label)} />
              ))}
          </li>
        ))}
      </ul>
    </>
  )
}

interface ChoiceProps {
  readonly isSection?: boolean
  readonly isHere: boolean
  readonly label: string
  readonly onChoose: () => void
}

function Choice({ isSection = false, isHere, label, onChoose }: ChoiceProps): ReactNode {
  return (
    <button
      type="button"
      aria-current={isHere ? 'page' : undefined}
      onClick={onChoose}
      className={classNames(
        'w-full rounded-md text-left hover:bg-hover',
        isSection ? 'min-h-8 px-2' : 'min-h-7 px-4 text-muted text-xs',
        isHere && 'bg-accent-soft font-medium',
      )}
    >
      {label}
    </button>
  )
}
