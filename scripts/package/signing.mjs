/** A sentence for each secret of a signature that is there without the others that it needs. */
export function signingProblems(env) {
  const apple = ['APPLE_API_KEY', 'APPLE_API_KEY_ID', 'APPLE_API_ISSUER']
  const given = apple.filter((name) => env[name])
  return [
    ...(given.length > 0 && given.length < apple.length ? [`notarising (it needs all of ${apple.join(', ')})`] : []),
    ...(given.length > 0 && !env.CSC_LINK ? ['notarising (it needs a certificate, CSC_LINK)'] : []),
    ...(env.CSC_KEY_PASSWORD && !env.CSC_LINK ? ['signing (it has a password, and no certificate)'] : []),
  ]
}
