//! lych mcp: the stdio MCP server that an agent starts
