/**
 * The address that signs a browser in: the one-time token stands in the fragment, which is never sent to a server nor
 * written into its logs.
 */
export function signInAddress(url: string, token: string): string {
  return `${url}/#sign-in=${token}`;
}
