import type { Command } from './command.ts';
import { mcpCatalog } from './mcp-catalog.ts';
import { mcpGatewayStart } from './mcp-gateway-start.ts';
import { mcpGatewayStop } from './mcp-gateway-stop.ts';
import { mcpList } from './mcp-list.ts';
import { mcpLoad } from './mcp-load.ts';
import { mcpSearch } from './mcp-search.ts';
import { mcpUnload } from './mcp-unload.ts';
import type { OperatorContext } from './operator-context.ts';

/** The operator's verbs (D2). None of them calls a tool, or takes the name of one (R36). */
export const verbs: readonly Command<OperatorContext>[] = [
  mcpGatewayStart,
  mcpGatewayStop,
  mcpLoad,
  mcpUnload,
  mcpList,
  mcpSearch,
  mcpCatalog,
];
