import { BellRing } from 'lucide-react'
import { type ReactNode, useState } from 'react'
import { useApp } from '../state/hooks/hooks.tsx'
import { type NotificationChoices, readNotifications, saveNotifications } from '../state/preferences/notifications.ts'
import { strings } from '../strings/strings.ts'
import { Button } from '../ui/controls/button.tsx'
import { Switch } from './fields.tsx'

const labels = strings.notifications

type Permission = keyof typeof labels.permission

/** Which notifications are shown, and whether the browser allows them. */
export function NotificationSettings(): ReactNode {
  const isDesktop = useApp((state) => state.info?.shell === 'desktop')
  const [choices, setChoices] = useState(() => readNotifications(localStorage))
  const change = (update: Partial<NotificationChoices>): void => {
    const next = { ...choices, ...update }
    saveNotifications(localStorage, next)
    setChoices(next)
  }
  return (
    <>
      <p className="text-muted">{labels.about}</p>
      {isDesktop ? <p className="text-muted">{labels.desktop}</p> : <BrowserPermission />}
      <div className="divide-y divide-line rounded-lg border border-line">
        <Switch
          label={labels.needsYou}
          hint={labels.needsYouHint}
          on={choices.needsYou}
          onChange={(needsYou) => change({ needsYou })}
        />
        <Switch label={labels.done} hint={labels.doneHint} on={choices.done} onChange={(done) => change({ done })} />
        <Switch
          label={labels.sounds}
          hint={labels.soundsHint}
          on={choices.sounds}
          onChange={(sounds) => change({ sounds })}
        />
      </div>
    </>
  )
}

function BrowserPermission(): ReactNode {
  const [permission, setPermission] = useState<Permission>(() =>
    'Notification' in window ? Notification.permission : 'unsupported',
  )
  return (
    <div className="flex flex-wrap items-center gap-3">
      <p role="status">{labels.permission[permission]}</p>
      {permission === 'default' && (
        <Button
          icon={<BellRing size={14} aria-hidden />}
          onClick={() => void Notification.requestPermission().then(setPermission)}
        >
          {labels.ask}
        </Button>
      )}
    </div>
  )
}
