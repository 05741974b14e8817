import { CircleCheck, CircleDashed } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import type { ProviderInfo, SandboxInfo } from '#shared/contract/views/app.ts'
import { builtInProfile } from '#shared/model/models/provider.ts'
import { CommandToCopy } from '../parts/command-to-copy.tsx'
import { useApp, useUpdateUi } from '../state/hooks/hooks.tsx'
import { modelName } from '../state/store/selectors.ts'
import { showSettings } from '../state/store/ui-state.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { VisibleText } from '../ui/controls/visible-text.tsx'

const labels = strings.home.ready

/** Whether agents can work here: who answers, and how their commands run. What is missing can be mended in place. */
export function ReadyList({ keyForm }: { keyForm: (onReady: () => void) => ReactNode }): ReactNode {
  const info = useApp((state) => state.info)
  if (!info) return null
  return (
    <section aria-label={labels.title}>
      <h2 className="mb-2 font-semibold">{labels.title}</h2>
      <ul className="divide-y divide-line rounded-lg border border-line bg-raised">
        <Model provider={info.provider} keyForm={keyForm} />
        <Commands sandbox={info.sandbox} />
      </ul>
    </section>
  )
}

interface ModelProps {
  readonly provider: ProviderInfo
  readonly keyForm: (onReady: () => void) => ReactNode
}

/**
 * The model that would answer. Without a key or a server of one's own, the form for one opens here; a profile is set up in
 * the settings.
 */
function Model({ provider, keyForm }: ModelProps): ReactNode {
  const name = useApp((state) => modelName(state, provider.model))
  const updateUi = useUpdateUi()
  const [isAdding, setAdding] = useState(false)
  const { canAsk, model, models } = provider
  const profile = models.find(({ id }) => id === model)?.profile ?? builtInProfile
  const isBuiltIn = profile === builtInProfile
  return (
    <Row
      isReady={canAsk}
      title={canAsk ? name : labels.model}
      detail={isBuiltIn ? describeBuiltIn(provider) : canAsk ? labels.profile(profile) : labels.noProfileKey(profile)}
      act={
        canAsk || !isBuiltIn ? (
          <Button tone="quiet" onClick={() => updateUi((ui) => showSettings(ui, 'models'))}>
            {canAsk ? labels.changeModel : labels.setUp}
          </Button>
        ) : (
          <Button aria-expanded={isAdding} onClick={() => setAdding(!isAdding)}>
            {labels.addKey}
          </Button>
        )
      }
    >
      {!canAsk && isBuiltIn && isAdding && keyForm(() => setAdding(false))}
    </Row>
  )
}

function describeBuiltIn({ canAsk, keySource, baseUrl }: ProviderInfo): string {
  if (!canAsk) return labels.noKey
  if (keySource !== null) return strings.home.keyFrom[keySource]
  return baseUrl === null ? '' : labels.ownServer(baseUrl)
}

/** How commands run, and the one command that makes them run in the sandbox. */
function Commands({ sandbox: { state, reason, command } }: { sandbox: SandboxInfo }): ReactNode {
  const [isExplained, setExplained] = useState(false)
  return (
    <Row
      isReady={state === 'on'}
      title={labels.commands}
      detail={labels.sandbox[state]}
      act={
        <Button tone="quiet" aria-expanded={isExplained} onClick={() => setExplained(!isExplained)}>
          {labels.details}
        </Button>
      }
    >
      {isExplained && (
        <p className="text-pretty text-muted">
          <VisibleText text={reason} />
        </p>
      )}
      {command !== null && <CommandToCopy command={command} about={labels.turnOn} />}
    </Row>
  )
}

interface RowProps {
  readonly isReady: boolean
  readonly title: string
  readonly detail: string
  readonly act: ReactNode
  readonly children: ReactNode
}

function Row({ isReady, title, detail, act, children }: RowProps): ReactNode {
  const Icon = isReady ? CircleCheck : CircleDashed
  return (
    <li className="flex flex-col gap-3 px-3 py-2.5">
      <div className="flex flex-wrap items-center gap-x-3 gap-y-1">
        <Icon size={16} aria-hidden className={isReady ? 'text-good' : 'text-warn'} />
        <div className="min-w-40 flex-1">
          <p className="font-medium">{title}</p>
          <p className="text-muted text-xs">{detail}</p>
        </div>
        <span className="max-sm:ml-7 max-sm:empty:hidden">{act}</span>
      </div>
      {children}
    </li>
  )
}
