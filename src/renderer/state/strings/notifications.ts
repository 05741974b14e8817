export const notificationStrings = {
  about: 'Only while this window is not in front. Nothing takes the focus before you click it.',
  needsYou: 'When an agent needs you',
  needsYouHint: 'A decision waits: an approval, a question.',
  done: 'When a thread has ended',
  doneHint: 'Done, failed or stopped.',
  desktop: 'The desktop app shows them itself; no permission is needed.',
  permission: {
    granted: 'This browser shows them.',
    default: 'This browser has not been asked yet, so nothing is shown.',
    denied: 'This browser refuses them. Allow notifications for this address in the browser’s site settings.',
    unsupported: 'This browser has no notifications. The number of waiting decisions is in the title of the window.',
  },
  ask: 'Ask the browser',
} as const
