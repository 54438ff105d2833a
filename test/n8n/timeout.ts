// A run takes n8n or its engine a moment, on a busy machine some; and n8n may take 12 s to end.
jest.setTimeout(30_000);
