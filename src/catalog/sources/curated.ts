import type { CatalogEntry, CatalogSetting } from '../catalog-entry.ts';
import type { CatalogSource } from './source.ts';

/** One row of our own list. */
interface Row {
  readonly name: string;
  readonly description: string;
  readonly category: string;
  /** The package, by whose launcher it is run: npm's by `npx`, PyPI's by `uvx`. */
  readonly npm?: string;
  readonly pypi?: string;
  /** Behind the package; with templates. */
  readonly args?: readonly string[];
  /** Variables that hold secrets. */
  readonly secrets?: readonly string[];
  /** Variables that hold none, each with what it means. */
  readonly variables?: Readonly<Record<string, string>>;
  /** Values for the arguments, each with what it means. */
  readonly values?: Readonly<Record<string, string>>;
  readonly tools?: readonly string[];
}

/** Well-known servers that are packages, each as its own documentation says how to start it. */
const rows: readonly Row[] = [
  {
    name: 'filesystem',
    description: 'Reads and writes files in the folders that it is given.',
    category: 'files',
    npm: '@modelcontextprotocol/server-filesystem',
    args: ['{{filesystem.paths|into}}'],
    values: { paths: 'The folders it may use, separated by commas.' },
    tools: ['read_text_file', 'write_file', 'edit_file', 'list_directory', 'search_files'],
  },
  {
    name: 'memory',
    description: 'Keeps a knowledge graph over conversations.',
    category: 'knowledge',
    npm: '@modelcontextprotocol/server-memory',
    tools: ['create_entities', 'create_relations', 'search_nodes', 'read_graph'],
  },
  {
    name: 'sequential-thinking',
    description: 'Lets a model think a problem through step by step.',
    category: 'reasoning',
    npm: '@modelcontextprotocol/server-sequential-thinking',
    tools: ['sequentialthinking'],
  },
  {
    name: 'everything',
    description: 'Shows every feature of the protocol; for trying clients out.',
    category: 'development',
    npm: '@modelcontextprotocol/server-everything',
    tools: ['echo'],
  },
  {
    name: 'fetch',
    description: 'Fetches web pages as Markdown.',
    category: 'web',
    pypi: 'mcp-server-fetch',
    tools: ['fetch'],
  },
  {
    name: 'git',
    description: 'Reads and changes a Git repository.',
    category: 'development',
    pypi: 'mcp-server-git',
    args: ['--repository', '{{git.repository}}'],
    values: { repository: 'The folder of the repository.' },
    tools: ['git_status', 'git_diff', 'git_commit', 'git_log'],
  },
  {
    name: 'time',
    description: 'Tells the time and converts between time zones.',
    category: 'utilities',
    pypi: 'mcp-server-time',
    tools: ['get_current_time', 'convert_time'],
  },
  {
    name: 'calculator',
    description: 'Calculates.',
    category: 'utilities',
    pypi: 'mcp-server-calculator',
    tools: ['calculate'],
  },
  {
    name: 'excel',
    description: 'Reads and writes Excel workbooks.',
    category: 'files',
    pypi: 'excel-mcp-server',
    args: ['stdio'],
  },
  {
    name: 'duckduckgo',
    description: 'Searches the web with DuckDuckGo.',
    category: 'web',
    pypi: 'duckduckgo-mcp-server',
    tools: ['search', 'fetch_content'],
  },
  {
    name: 'arxiv',
    description: 'Searches and reads papers of arXiv.',
    category: 'research',
    pypi: 'arxiv-mcp-server',
    tools: ['search_papers', 'read_paper'],
  },
  {
    name: 'code-index',
    description: 'Indexes and searches a code base.',
    category: 'development',
    pypi: 'code-index-mcp',
  },
  {
    name: 'atlassian',
    description: 'Jira and Confluence.',
    category: 'productivity',
    pypi: 'mcp-atlassian',
    secrets: ['JIRA_API_TOKEN', 'CONFLUENCE_API_TOKEN'],
    variables: {
      JIRA_URL: 'The address of Jira.',
      JIRA_USERNAME: 'The user of the Jira token.',
      CONFLUENCE_URL: 'The address of Confluence.',
      CONFLUENCE_USERNAME: 'The user of the Confluence token.',
    },
  },
  {
    name: 'playwright',
    description: 'Drives a browser.',
    category: 'web',
    npm: '@playwright/mcp',
    tools: ['browser_navigate', 'browser_click', 'browser_snapshot'],
  },
  {
    name: 'chrome-devtools',
    description: 'Debugs pages in Chrome.',
    category: 'development',
    npm: 'chrome-devtools-mcp',
  },
  {
    name: 'context7',
    description: 'Up-to-date documentation of libraries.',
    category: 'development',
    npm: '@upstash/context7-mcp',
  },
  {
    name: 'notion',
    description: 'Pages and databases of Notion.',
    category: 'productivity',
    npm: '@notionhq/notion-mcp-server',
    secrets: ['NOTION_TOKEN'],
  },
  {
    name: 'tavily',
    description: 'Web search and extraction by Tavily.',
    category: 'web',
    npm: 'tavily-mcp',
    secrets: ['TAVILY_API_KEY'],
  },
  {
    name: 'brave-search',
    description: 'Web search by Brave.',
    category: 'web',
    npm: '@brave/brave-search-mcp-server',
    secrets: ['BRAVE_API_KEY'],
  },
  {
    name: 'firecrawl',
    description: 'Scrapes and crawls web pages.',
    category: 'web',
    npm: 'firecrawl-mcp',
    secrets: ['FIRECRAWL_API_KEY'],
  },
  { name: 'exa', description: 'Web search by Exa.', category: 'web', npm: 'exa-mcp-server', secrets: ['EXA_API_KEY'] },
  {
    name: 'sentry',
    description: 'Errors and issues of Sentry.',
    category: 'development',
    npm: '@sentry/mcp-server',
    secrets: ['SENTRY_ACCESS_TOKEN'],
  },
  {
    name: 'supabase',
    description: 'Projects and databases of Supabase.',
    category: 'databases',
    npm: '@supabase/mcp-server-supabase',
    secrets: ['SUPABASE_ACCESS_TOKEN'],
  },
  {
    name: 'figma',
    description: 'Designs of Figma for writing code.',
    category: 'design',
    npm: 'figma-developer-mcp',
    args: ['--stdio'],
    secrets: ['FIGMA_API_KEY'],
  },
];

/** Our own list: data, always at hand. */
export const curatedSource: CatalogSource = {
  id: 'curated',
  place: 'built in',
  isLocal: true,
  read: () => Promise.resolve({ title: 'Built in', entries: curatedEntries, unnamed: 0 }),
};

const curatedEntries: readonly CatalogEntry[] = rows.map(row => {
  const {
    name,
    description,
    category,
    npm,
    pypi = '',
    args = [],
    secrets = [],
    variables = {},
    values = {},
    tools = [],
  } = row;
  const asked = (list: Readonly<Record<string, string>>, isRequired: boolean): readonly CatalogSetting[] =>
    Object.entries(list).map(([key, meaning]) => ({
      key: `${name}.${key}`,
      description: meaning,
      isRequired,
      byDefault: undefined,
    }));
  return {
    name,
    catalog: 'curated',
    title: undefined,
    description,
    category,
    tags: [],
    tools,
    start:
      npm === undefined
        ? { kind: 'command', command: 'uvx', args: [pypi, ...args] }
        : { kind: 'command', command: 'npx', args: ['-y', npm, ...args] },
    secrets: secrets.map(variable => ({ name: `${name}.${variable}`, variable })),
    settings: [...asked(values, true), ...asked(variables, false)],
    env: Object.fromEntries(Object.keys(variables).map(variable => [variable, `{{${name}.${variable}}}`])),
  };
});
