// A run takes n8n a moment, on a busy machine some; and it may take 12 s to end.
jest.setTimeout(30_000);
