/** The words of logins to servers. */
export const loginStrings = {
  logIn: 'Log in',
  logInNamed: (server: string) => `Log in to ${server}`,
  logOut: 'Log out',
  logOutNamed: (server: string) => `Log out of ${server}`,
  loggedIn: ({ name, issuer }: { readonly name: string | null; readonly issuer: string }) =>
    name === null ? `Logged in at ${issuer}` : `Logged in as ${name}, at ${issuer}`,
  keepInFile: 'Keep the login in a file that only your account can read (this machine has no key store)',
  waiting: 'Log in on this page, in your browser:',
  openPage: 'Open the page',
  cancel: 'Cancel the login',
  otherMachine: 'The browser is on another machine',
  pasteLabel: 'Address at which the browser ended',
  pasteHint: 'It begins with http://127.0.0.1, and the browser says that it cannot be reached.',
  use: 'Use this address',
  needed: (server: string) => `${server} needs a login.`,
  done: 'You are logged in now. Tell the agent to go on.',
} as const
