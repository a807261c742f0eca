// The application of the conformance suite's tests of meshes.
module mesh.test/mesh_echo

go 1.26.0
