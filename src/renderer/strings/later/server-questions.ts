/** The words of what servers ask people. */
export const serverQuestionStrings = {
  title: (server: string) => `Question of the server ${server}`,
  warning: 'The server gets what you answer. Give it nothing that is not meant for it, such as a password.',
  send: 'Answer',
  open: 'Open the page',
  page: 'It asks you to open this page:',
  decline: 'Decline',
  cancel: 'Not now',
  required: 'needed',
  none: '(none)',
} as const
