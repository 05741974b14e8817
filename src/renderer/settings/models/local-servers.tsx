import { Plus, Server, X } from 'lucide-react'
import type { ReactNode } from 'react'
import type { LocalServer, ModelsView } from '#shared/contract/views/models.ts'
import { localServerStrings } from '../../strings/later/model-settings.ts'
import { Button, IconButton } from '../../ui/controls/button.tsx'
import { Notice } from '../../ui/controls/notice.tsx'
import { VisibleText } from '../../ui/controls/visible-text.tsx'

const labels = localServerStrings

interface LocalServersProps {
  readonly found: readonly LocalServer[]
  readonly view: ModelsView
  readonly busy: boolean
  readonly onAdd: (server: LocalServer) => void
  readonly onClose: () => void
}

/** What answered on this machine, or which servers were asked in vain. */
export function LocalServers({ found, view, busy, onAdd, onClose }: LocalServersProps): ReactNode {
  const close = (
    <IconButton label={labels.close} onClick={onClose}>
      <X size={14} aria-hidden />
    </IconButton>
  )
  if (found.length === 0) {
    const asked = view.presets.filter(({ local }) => local).map(({ name }) => name)
    return <Notice tone="info" title={labels.none} detail={labels.asked(asked.join(', '))} actions={close} />
  }
  return (
    <section aria-label={labels.title} className="rounded-lg border border-line bg-raised">
      <header className="flex items-center border-line border-b py-1 pr-1 pl-3">
        <h4 className="flex-1 font-semibold">{labels.title}</h4>
        {close}
      </header>
      <ul className="divide-y divide-line">
        {found.map((server) => {
          const { name, address, models } = server
          const isThere = view.profiles.some((profile) => profile.address === address)
          return (
            <li key={address} className="flex flex-wrap items-center gap-x-3 gap-y-1 px-3 py-2">
              <Server size={14} aria-hidden className="shrink-0 text-muted" />
              <span className="min-w-0 flex-1 basis-48 [overflow-wrap:anywhere]">
                <span className="block font-medium">{name}</span>
                <span className="block text-muted text-xs">
                  <VisibleText text={[address, labels.models(models.length), ...models.slice(0, 3)].join(' · ')} />
                </span>
              </span>
              {isThere ? (
                <span className="text-muted">{labels.there}</span>
              ) : (
                <Button
                  aria-label={labels.addNamed(name)}
                  icon={<Plus size={14} aria-hidden />}
                  disabled={busy}
                  onClick={() => onAdd(server)}
                >
                  {labels.add}
                </Button>
              )}
            </li>
          )
        })}
      </ul>
    </section>
  )
}
