/** Where a call carries a field. */
export type Place = 'path' | 'query' | 'body';

/** What both sides say about one field that the service takes. */
export interface FieldFacts {
	place: Place;
	/** `either`: one of several fields that stand for each other, such as the ways to give a medium. */
	required: boolean | 'either';
	/** The values it takes, where they are listed. */
	choices?: string[];
}

/** What both sides say about one operation, so that they can be compared as a whole. */
export interface OperationFacts {
	call: string;
	permission: string;
	inferred: boolean;
	fields: Record<string, FieldFacts>;
	/** The fields of its multipart form, where it takes one. */
	form: string[];
}
