/** This package's version; a test compares it with package.json. */
export const version = '0.1.0';

/** How Longshore introduces itself to servers. */
export const clientInfo = { name: 'longshore', title: 'Longshore', version } as const;
