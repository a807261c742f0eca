module mesh/native/mesh-cni

go 1.21
